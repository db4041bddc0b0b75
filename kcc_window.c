// SPDX-License-Identifier: GPL-2.0
/* Pacing rate and window: what the state's gains become on the wire
 *
 *   pacing rate = bw x pacing gain, at most SO_MAX_PACING_RATE
 *   cwnd        = BDP x window gain + ACK aggregation + bursts, at most the loss
 *                 bound, at least 4; in recovery as packet conservation says
 *
 * All of this runs under the socket's lock, once per ACK.
 */
#include "kcc.h"

/* STARTUP.  The window gain decides how far a flow overshoots, the pacing gain
 * only how far it lags: at a pacing gain of 4.0 the flow is clocked by its ACKs
 * as in slow start.  The knob kcc_high_gain (2.885) is multiplied by 0.69 for
 * the window (1.99) and by 1.385 for pacing (4.0, the largest that 10 bits hold).
 * Goodput in Mbit/s and losses in 10 s, with 0.69 and with 0.75 (2.16):
 *   2 Gbit/s, 134 ms, 4 flows, 0.75 BDP   1701.9, 4226    1703.8, 8407
 *   1 Gbit/s, 134 ms, 1 flow, 1 BDP        833.8,    0     833.5, 1052
 *   200 Mbit/s, 150 ms, 1 flow, 1 BDP      180.7,  116     180.7,  552
 */
#define KCC_STARTUP_WINDOW_Q8	(KCC_UNIT * 69 / 100)
#define KCC_STARTUP_PACING_Q8	(KCC_UNIT * 1387 / 1000)
/* Below this rate (bytes/s) single-segment bursts: BBR's 1.2 Mbit/s. */
#define KCC_MIN_TSO_RATE	(1200000 >> 3)
/* Packets above the target that STARTUP may grow by while no queue is seen. */
#define KCC_GROW_AHEAD_PKTS	64

/* Pacing rate in bytes/s, never above SO_MAX_PACING_RATE.  Without BBR's margin
 * of 1 %: the cruise gain falls by itself as soon as a queue shows.
 */
unsigned long kcc_pacing_rate(const struct sock *sk, u32 bw, u32 gain)
{
	u64 rate = kcc_fp_bytes_per_sec(bw, tcp_sk(sk)->mss_cache, gain);

	return min_t(u64, rate, READ_ONCE(sk->sk_max_pacing_rate));
}

u32 kcc_startup_pacing_gain(const struct sock *sk)
{
	u32 gain = READ_ONCE(kcc_net(sk)->high_gain) * KCC_STARTUP_PACING_Q8 / 1000;

	return min_t(u32, gain, KCC_GAIN_MAX);
}

u32 kcc_startup_window_gain(const struct sock *sk)
{
	u32 gain = READ_ONCE(kcc_net(sk)->high_gain) * KCC_STARTUP_WINDOW_Q8 / 1000;

	return kcc_jump_limit_gain(kcc_ca(sk), max_t(u32, gain, KCC_UNIT * 5 / 4));
}

/* First rate: the window over the handshake's RTT, or over 1 ms without one,
 * times STARTUP's gain.
 */
void kcc_init_pacing_rate(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 rtt_us = USEC_PER_MSEC;

	if (tp->srtt_us) {
		rtt_us = max(tp->srtt_us >> 3, 1U);
		kcc_ca(sk)->has_seen_rtt = 1;
	}
	WRITE_ONCE(sk->sk_pacing_rate,
		   kcc_pacing_rate(sk, kcc_fp_bw(kcc_compat_cwnd(tp), rtt_us),
				   kcc_startup_pacing_gain(sk)));
}

/* Before the pipe was full once the rate only rises: early samples are small. */
void kcc_set_pacing_rate(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);
	unsigned long rate = kcc_pacing_rate(sk, kcc_bw(kcc), kcc->pacing_gain);

	if (unlikely(!kcc->has_seen_rtt && tcp_sk(sk)->srtt_us))
		kcc_init_pacing_rate(sk);
	if (kcc->full_pipe || rate > READ_ONCE(sk->sk_pacing_rate))
		WRITE_ONCE(sk->sk_pacing_rate, rate);
}

u32 kcc_min_tso_segs(struct sock *sk)
{
	return READ_ONCE(sk->sk_pacing_rate) < KCC_MIN_TSO_RATE ? 1 : 2;
}

/* Segments of one burst at the pacing rate, as tcp_tso_autosize() sizes it. */
u32 kcc_tso_segs_goal(struct sock *sk, unsigned int mss_now)
{
	u32 bytes = min_t(unsigned long,
			  READ_ONCE(sk->sk_pacing_rate) >>
			  READ_ONCE(sk->sk_pacing_shift),
			  KCC_COMPAT_GSO_MAX_BYTES - 1 - MAX_TCP_HEADER);

	return clamp_t(u32, bytes / mss_now, kcc_min_tso_segs(sk), 127);
}

/* Window for a BDP: room for the bursts at both ends, and an even number so
 * that delayed ACKs come in pairs.
 */
static u32 kcc_quantize_pkts(struct sock *sk, u32 cwnd)
{
	cwnd += 3 * kcc_tso_segs_goal(sk, tcp_sk(sk)->mss_cache);
	return (cwnd + 1) & ~1U;
}

/* Packets that will be in the network when the next burst leaves: pacing has
 * scheduled the departure of what lies in the qdisc.
 */
u32 kcc_inflight_pkts(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 inflight_pkts = tcp_packets_in_flight(tp), delivered_pkts;
	u64 edt_ns = max(tp->tcp_wstamp_ns, tp->tcp_clock_cache);
	u32 wait_us = div_u64(edt_ns - tp->tcp_clock_cache, NSEC_PER_USEC);

	delivered_pkts = (u64)kcc_bw(kcc_ca(sk)) * wait_us >> KCC_BW_SCALE;
	return inflight_pkts > delivered_pkts ? inflight_pkts - delivered_pkts : 0;
}

/* Window to come back to after recovery or PROBE_RTT. */
void kcc_save_cwnd(struct sock *sk)
{
	u32 cwnd = kcc_compat_cwnd(tcp_sk(sk));
	struct kcc *kcc = kcc_ca(sk);

	if (kcc->prev_ca_state < TCP_CA_Recovery && kcc->mode != KCC_PROBE_RTT)
		kcc->prior_cwnd = cwnd;
	else
		kcc->prior_cwnd = max(kcc->prior_cwnd, cwnd);
}

/* Loss recovery as BBR does it: conserve packets in its first round, then grow
 * back; at its end the window from before.  Returns true while conserving.
 */
static bool kcc_recover(struct sock *sk, const struct rate_sample *rs, u32 *cwnd)
{
	u8 state = inet_csk(sk)->icsk_ca_state;
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);
	u32 flight_pkts = tcp_packets_in_flight(tp) + rs->acked_sacked;

	if (rs->losses > 0)
		*cwnd = max_t(s32, *cwnd - rs->losses, 1);
	if (state == TCP_CA_Recovery && kcc->prev_ca_state != TCP_CA_Recovery) {
		kcc->packet_conservation = 1;
		kcc->next_round = tp->delivered;
		*cwnd = flight_pkts;
	} else if (kcc->prev_ca_state >= TCP_CA_Recovery &&
		   state < TCP_CA_Recovery) {
		kcc->packet_conservation = 0;
		*cwnd = max(*cwnd, kcc->prior_cwnd);
	}
	kcc->prev_ca_state = state;
	if (kcc->packet_conservation)
		*cwnd = max(*cwnd, flight_pkts);
	return kcc->packet_conservation;
}

/* The window the state asks for, below the loss bound.  The bound comes last:
 * on a LAN the room for bursts is several BDP.
 */
static u32 kcc_target_cwnd(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 cwnd = kcc_bdp_pkts(sk, kcc_bw(kcc), kcc->cwnd_gain);

	/* behind somebody else's queue a rate needs the whole RTT in flight */
	if (kcc->foreign)
		cwnd = max(cwnd, kcc_fp_bdp_pkts(kcc_bw(kcc), tcp_sk(sk)->srtt_us >> 3,
						 KCC_UNIT * 5 / 4));
	if (kcc->full_pipe)
		cwnd += kcc_extra_acked_pkts(sk);
	cwnd = kcc_quantize_pkts(sk, cwnd);
	if (kcc->bound_pkts != ~0U)
		cwnd = min(cwnd, kcc->phase == KCC_UP ? kcc->bound_pkts :
			   kcc->bound_pkts - kcc->bound_pkts / 20);
	return cwnd;
}

/* May the window grow by what is acked?  Up to the target; a little above it
 * while this ACK saw no queue, since bandwidth samples of a few packets are low
 * (0.82 of a doubling lost in the rounds from 40 to 300 packets otherwise, and
 * on 256 kbit/s the first ten packets are a queue).
 */
static bool kcc_may_grow(const struct sock *sk, const struct rate_sample *rs,
			 u32 cwnd, u32 target)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 rtt_us = kcc_model_rtt_us(sk);

	if (kcc_is_jumping(kcc))
		return false;
	if (kcc->jump == KCC_JUMP_CHECK && rs->rtt_us > rtt_us + (rtt_us >> 3))
		return false;
	if (cwnd < target || tcp_sk(sk)->delivered < TCP_INIT_CWND)
		return true;
	return cwnd < target + KCC_GROW_AHEAD_PKTS && rs->rtt_us > 0 &&
	       rs->rtt_us <= rtt_us + (rtt_us >> 3);
}

void kcc_set_cwnd(struct sock *sk, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);
	u32 cwnd = kcc_compat_cwnd(tp), target;

	if (rs->acked_sacked && !kcc_recover(sk, rs, &cwnd)) {
		target = kcc_target_cwnd(sk);
		if (kcc->full_pipe)
			cwnd = min(cwnd + rs->acked_sacked, target);
		else if (kcc_may_grow(sk, rs, cwnd, target))
			cwnd += rs->acked_sacked;
		cwnd = max_t(u32, cwnd, KCC_CWND_MIN_PKTS);
	}
	if (kcc->mode == KCC_PROBE_RTT)
		cwnd = min(cwnd, max_t(u32, kcc_bdp_pkts(sk, kcc_proven_bw(kcc), KCC_UNIT / 2),
				       KCC_CWND_MIN_PKTS));
	kcc_compat_set_cwnd(tp, min(cwnd, tp->snd_cwnd_clamp));
}
