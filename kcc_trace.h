/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints of KCC, so that people and tests see why the state changed.
 *
 *   kcc:kcc_state  every transition: from, to, reason
 *   kcc:kcc_round  once per round: the model
 *   kcc:kcc_seed   a use of what is remembered: outcome, rate of the jump
 *
 * Fields are for reading, not an interface that scripts may rely on for ever.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kcc

#if !defined(KCC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KCC_TRACE_H

#include <linux/tracepoint.h>
#include "kcc.h"

#define kcc_show_state(state)						\
	__print_symbolic(state,						\
		{ KCC_STARTUP << 2 | KCC_NO_PHASE, "STARTUP" },	\
		{ KCC_DRAIN << 2 | KCC_NO_PHASE, "DRAIN" },	\
		{ KCC_PROBE_BW << 2 | KCC_UP, "UP" },	\
		{ KCC_PROBE_BW << 2 | KCC_DOWN, "DOWN" },	\
		{ KCC_PROBE_BW << 2 | KCC_CRUISE, "CRUISE" },	\
		{ KCC_PROBE_RTT << 2 | KCC_NO_PHASE, "PROBE_RTT" })

#define kcc_show_why(why)						\
	__print_symbolic(why,						\
		{ KCC_WHY_INIT, "init" },	\
		{ KCC_WHY_PLATEAU, "plateau" },	\
		{ KCC_WHY_LOSS, "loss" },	\
		{ KCC_WHY_DELAY, "delay" },	\
		{ KCC_WHY_NOT_OURS, "delay_not_ours" },	\
		{ KCC_WHY_DRAINED, "drained" },	\
		{ KCC_WHY_TIMEOUT, "timeout" },	\
		{ KCC_WHY_TARGET, "target" },	\
		{ KCC_WHY_ROOM, "room" },	\
		{ KCC_WHY_CYCLE, "cycle" },	\
		{ KCC_WHY_INTERVAL, "interval" },	\
		{ KCC_WHY_PATH_CHECK, "path_check" },	\
		{ KCC_WHY_CONFIRMED, "confirmed" },	\
		{ KCC_WHY_PATH_CHANGE, "path_change" },	\
		{ KCC_WHY_IDLE, "idle" })

TRACE_EVENT(kcc_state,
	TP_PROTO(const struct sock *sk, u32 from, u32 to, u32 why),
	TP_ARGS(sk, from, to, why),
	TP_STRUCT__entry(
		__field(u16, sport)
		__field(u16, dport)
		__field(u8, from)
		__field(u8, to)
		__field(u8, why)
	),
	TP_fast_assign(
		__entry->sport = inet_sk(sk)->inet_num;
		__entry->dport = ntohs(inet_sk(sk)->inet_dport);
		__entry->from = from;
		__entry->to = to;
		__entry->why = why;
	),
	TP_printk("sport=%u dport=%u from=%s to=%s why=%s",
		  __entry->sport, __entry->dport,
		  kcc_show_state(__entry->from),
		  kcc_show_state(__entry->to),
		  kcc_show_why(__entry->why))
);

#define kcc_show_outcome(outcome)					\
	__print_symbolic(outcome,					\
		{ KCC_SEED_USED, "used" },				\
		{ KCC_SEED_VALIDATED, "validated" },			\
		{ KCC_SEED_RETREATED, "retreated" },			\
		{ KCC_SEED_EXPIRED, "expired" },			\
		{ KCC_SEED_OLD, "refused_old" },			\
		{ KCC_SEED_RTT_LOW, "refused_rtt_low" },		\
		{ KCC_SEED_RTT_HIGH, "refused_rtt_high" },		\
		{ KCC_SEED_LOSS, "refused_loss" },			\
		{ KCC_SEED_CE, "refused_ce" },				\
		{ KCC_SEED_SLOW, "refused_slow" },			\
		{ KCC_SEED_BUDGET, "refused_budget" },			\
		{ KCC_SEED_NO_GAIN, "refused_no_gain" },		\
		{ KCC_SEED_LATE, "refused_late" },			\
		{ KCC_SEED_NO_ROOM, "refused_no_room" })

TRACE_EVENT(kcc_seed,
	TP_PROTO(const struct sock *sk, u32 outcome, u32 kbps),
	TP_ARGS(sk, outcome, kbps),
	TP_STRUCT__entry(
		__field(u16, sport)
		__field(u16, dport)
		__field(u8, outcome)
		__field(u32, kbps)
	),
	TP_fast_assign(
		__entry->sport = inet_sk(sk)->inet_num;
		__entry->dport = ntohs(inet_sk(sk)->inet_dport);
		__entry->outcome = outcome;
		__entry->kbps = kbps;
	),
	TP_printk("sport=%u dport=%u outcome=%s kbps=%u",
		  __entry->sport, __entry->dport,
		  kcc_show_outcome(__entry->outcome), __entry->kbps)
);

TRACE_EVENT(kcc_round,
	TP_PROTO(const struct sock *sk, u32 state, const struct kcc_ack *ack),
	TP_ARGS(sk, state, ack),
	TP_STRUCT__entry(
		__field(u16, sport)
		__field(u16, dport)
		__field(u8, state)
		__field(u8, drained)
		__field(u8, foreign)
		__field(u32, bw_kbps)
		__field(u32, sample_kbps)
		__field(u32, x_us)
		__field(u32, dev_us)
		__field(u32, min_us)
		__field(u32, z_us)
		__field(u32, queue_us)
		__field(u32, noise_us)
		__field(u32, cwnd)
		__field(u32, inflight)
		__field(u32, bdp)
		__field(u32, bound)
		__field(u32, gain)
		__field(u32, base_q16)
		__field(u32, lost)
	),
	TP_fast_assign(
		const struct kcc *kcc = kcc_ca(sk);
		u32 mss = tcp_sk(sk)->mss_cache;

		__entry->sport = inet_sk(sk)->inet_num;
		__entry->dport = ntohs(inet_sk(sk)->inet_dport);
		__entry->state = state;
		__entry->drained = ack->drained;
		__entry->foreign = kcc->foreign;
		__entry->bw_kbps = div_u64(kcc_fp_bytes_per_sec(kcc_bw(kcc), mss,
								KCC_UNIT), 125);
		__entry->sample_kbps = div_u64(kcc_fp_bytes_per_sec(ack->bw, mss,
								    KCC_UNIT), 125);
		__entry->x_us = kcc_kf_x_us(&kcc->kf);
		__entry->dev_us = int_sqrt(kcc->kf.p_us2);
		__entry->min_us = kcc->min_rtt_us;
		__entry->z_us = ack->round_rtt_us;
		__entry->queue_us = kcc->queue_us;
		__entry->noise_us = kcc_noise_us(sk);
		__entry->cwnd = kcc_compat_cwnd(tcp_sk(sk));
		__entry->inflight = tcp_packets_in_flight(tcp_sk(sk));
		__entry->bdp = kcc_bdp_pkts(sk, kcc_bw(kcc), KCC_UNIT);
		__entry->bound = kcc->bound_pkts;
		__entry->gain = kcc->pacing_gain;
		__entry->base_q16 = kcc->base_q16;
		__entry->lost = tcp_sk(sk)->lost;
	),
	TP_printk("sport=%u dport=%u state=%s bw_kbps=%u sample_kbps=%u x_us=%u dev_us=%u min_us=%u z_us=%u queue_us=%u noise_us=%u drained=%u foreign=%u cwnd=%u inflight=%u bdp=%u bound=%d gain=%u base_q16=%u lost=%u",
		  __entry->sport, __entry->dport,
		  kcc_show_state(__entry->state),
		  __entry->bw_kbps, __entry->sample_kbps, __entry->x_us,
		  __entry->dev_us, __entry->min_us, __entry->z_us,
		  __entry->queue_us, __entry->noise_us, __entry->drained,
		  __entry->foreign, __entry->cwnd, __entry->inflight,
		  __entry->bdp, __entry->bound, __entry->gain,
		  __entry->base_q16, __entry->lost)
);

#endif /* KCC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE kcc_trace
#include <trace/define_trace.h>
