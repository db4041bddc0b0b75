// SPDX-License-Identifier: GPL-2.0
/* Minimum of KCC (5.4): rate samples with is_ack_delayed, EDT pacing.
 * Without it the build stops and says so.
 */
/* The fields and helpers that every later probe and the module rely on. */
#include <net/tcp.h>

bool kcc_probe_required(struct sock *sk, const struct rate_sample *rs);
bool kcc_probe_required(struct sock *sk, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);

	cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
	return rs->is_ack_delayed && tcp_min_rtt(tp) &&
	       tp->tcp_wstamp_ns > tp->tcp_clock_cache;
}
