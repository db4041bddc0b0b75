// SPDX-License-Identifier: GPL-2.0
/* Mainline: min_tso_segs(sk).  Absent: see tso_segs.c. */
#include <net/tcp.h>

static u32 kcc_probe_segs(struct sock *sk)
{
	return 1;
}

struct tcp_congestion_ops kcc_probe_ops = { .min_tso_segs = kcc_probe_segs };
