// SPDX-License-Identifier: GPL-2.0
/* Kernels patched with BBRv3: tso_segs(sk, mss_now) instead of min_tso_segs.
 * Absent, and min_tso_segs too: the kernel chooses the burst size itself.
 */
#include <net/tcp.h>

static u32 kcc_probe_segs(struct sock *sk, unsigned int mss_now)
{
	return 1;
}

struct tcp_congestion_ops kcc_probe_ops = { .tso_segs = kcc_probe_segs };
