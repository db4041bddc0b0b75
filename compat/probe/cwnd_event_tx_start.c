// SPDX-License-Identifier: GPL-2.0
/* 7.1 (d1e59a469737): CA_EVENT_TX_START has a hook of its own.
 * Absent: it arrives through cwnd_event.
 */
#include <net/tcp.h>

static void kcc_probe_event(struct sock *sk)
{
}

struct tcp_congestion_ops kcc_probe_ops = { .cwnd_event_tx_start = kcc_probe_event };
