// SPDX-License-Identifier: GPL-2.0
/* 6.10 (57bfc7605ca5), and backports: cong_control(sk, ack, flag, rs).
 * Absent: cong_control(sk, rs).
 */
#include <net/tcp.h>

static void kcc_probe_main(struct sock *sk, u32 ack, int flag,
			   const struct rate_sample *rs)
{
}

struct tcp_congestion_ops kcc_probe_ops = { .cong_control = kcc_probe_main };
