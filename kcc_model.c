// SPDX-License-Identifier: GPL-2.0
/* The path as KCC sees it: bandwidth, propagation delay, queue, ACK aggregation
 *
 *   bw      windowed maximum of the delivery rate, over this probing cycle and
 *           the last one (10 to 28 rounds)
 *   T       model RTT = min(x, m): Kalman estimate and windowed minimum
 *   D       queue delay: EWMA over rounds of round minimum - T
 *   N       RTT noise: twice the socket's own mean deviation.  The smoothed RTT
 *           follows a queue within a few ACKs, so the deviation around it holds
 *           only what is faster than a queue, and costs no state.  At the end of
 *           a round also the distance from its minimum to the smoothed RTT: a
 *           standing queue moves both alike, jitter holds them apart.  On a path
 *           that has long been jittery at least half of the longest delay
 *
 * A drained window is what may raise T: the packets *sent* from the moment a
 * drain has ended until one BDP later, while inflight stays at most 1 BDP.
 * It is defined on packets, not on time, so a late ACK cannot smuggle a sample
 * of a queue into it.
 *
 * All of this runs under the socket's lock, once per ACK; the filter once per
 * round.
 */
#include "kcc.h"

/* EWMA weight of D: a queue shows in full after about four rounds, which is
 * shorter than a cruise (6 rounds at least).
 */
#define KCC_QUEUE_SHIFT		2
/* Least queue that counts: T/2 over the fourth root of the BDP in packets (T/5
 * at 40 packets, T/17 at 5500), and the grain of timers.  All flows at a
 * bottleneck see the same queue; since the larger one has the lower limit, it
 * gives way first and the smaller one asks for more.  That is what makes shares
 * converge: probes and cuts in proportion to the rate do not.
 */
#define KCC_THETA_SHIFT		1
#define KCC_THETA_MIN_US	500
/* x that far above m: the path gets longer, or x has crept. */
#define KCC_DRIFT_SHIFT		5
/* RTTs that spread over more than an eighth of T make a round noisy. */
#define KCC_NOISY_SHIFT		3
/* Rounds of that in a row which make a path jittery: a queue that comes and goes
 * spreads RTTs for three or four (with the last round alone as the judge the queue
 * of four staggered flows reached 300 ms).
 */
#define KCC_JITTERY_ROUNDS	5
/* Most that noise may add to the gate of a drained round while the path is calm,
 * T/32: a drain lets the RTT fall, and that is no noise.
 */
#define KCC_CALM_SHIFT		5
/* What a burst may add to a drained window without spoiling it. */
#define KCC_BURST_PKTS		8

/* Bandwidth the flow may count on, packets/us << KCC_BW_SCALE. */
u32 kcc_bw(const struct kcc *kcc)
{
	return max(kcc->bw_max[0], kcc->bw_max[1]);
}

/* Bandwidth to drain by in PROBE_RTT: no more than came out in the last round
 * before.  Where the path has got slower, half a BDP of the old rate is a standing
 * queue, and T would be taken from it.
 */
u32 kcc_proven_bw(const struct kcc *kcc)
{
	if (kcc->mode == KCC_PROBE_RTT && kcc->ref_bw)
		return min(kcc_bw(kcc), kcc->ref_bw);
	return kcc_bw(kcc);
}

/* Forget the filter's history: the bandwidth is known to be this. */
void kcc_set_bw(struct kcc *kcc, u32 bw)
{
	kcc->bw_max[0] = bw;
	kcc->bw_max[1] = bw;
}

/* A new probing cycle: the one before the last no longer counts.  A cycle that
 * had no valid sample (the application did not send) is not one.
 */
void kcc_rotate_bw(struct kcc *kcc)
{
	if (!kcc->bw_max[0])
		return;
	kcc->bw_max[1] = kcc->bw_max[0];
	kcc->bw_max[0] = 0;
	kcc->extra_acked[1] = kcc->extra_acked[0];
	kcc->extra_acked[0] = 0;
}

/* Microseconds since a stamp of this connection's clock (71 minutes at most). */
u32 kcc_elapsed_us(const struct sock *sk, u32 since_us)
{
	return (u32)tcp_sk(sk)->tcp_mstamp - since_us;
}

/* Model RTT T in us; 0 before the first sample. */
u32 kcc_model_rtt_us(const struct sock *sk)
{
	const struct kcc *kcc = kcc_ca(sk);

	if (!kcc->kf.x_us_q4)
		return 0;
	if (READ_ONCE(kcc_net(sk)->rtt_mode))
		return kcc->min_rtt_us;
	return min(kcc_kf_x_us(&kcc->kf), kcc->min_rtt_us);
}

/* How far an RTT lies above T, in us. */
u32 kcc_delay_us(const struct sock *sk, u32 rtt_us)
{
	u32 model_us = kcc_model_rtt_us(sk);

	return rtt_us > model_us ? rtt_us - model_us : 0;
}

/* RTTs have spread widely for so many rounds that it is the path's own way. */
bool kcc_is_jittery(const struct kcc *kcc)
{
	return kcc->full_pipe && kcc->noisy_rounds >= KCC_JITTERY_ROUNDS;
}

/* RTT noise N in us: twice the mean deviation, which tcp_sock keeps times 4.  On a
 * path with jitter half of the longest delay of late, since the deviation forgets
 * within one burst of ACKs: +-10 ms on 40 ms 43.9 -> 46 of 50 Mbit/s, ACKs in slots
 * of 2 to 20 ms on a LAN 20 -> 330 of 500.
 */
u32 kcc_noise_us(const struct sock *sk)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 noise_us = tcp_sk(sk)->mdev_us >> 1;

	return kcc_is_jittery(kcc) ? max(noise_us, kcc_delay_max_us(kcc) / 2) : noise_us;
}

/* Packets that a bandwidth keeps in flight at the model RTT.  Without an RTT
 * sample (no timestamps, all of the handshake retransmitted) the answer is the
 * initial window, the most that is safe to send blindly.
 */
u32 kcc_bdp_pkts(const struct sock *sk, u32 bw, u32 gain)
{
	u32 rtt_us = kcc_model_rtt_us(sk);

	return rtt_us ? kcc_fp_bdp_pkts(bw, rtt_us, gain) : TCP_INIT_CWND;
}

/* v over the fourth root of n: logarithm and power by straight lines between
 * powers of two, at most 9 % off and monotone.
 */
static u32 kcc_over_root4(u32 v, u32 n)
{
	u32 whole, log2_q4, log2_quarter_q6;

	n = max(n, 1U);
	whole = ilog2(n);
	log2_q4 = whole << 4 | (((u64)n << 4 >> whole) & 15);
	log2_quarter_q6 = log2_q4;	/* Q4 divided by 4 is Q6 */
	v >>= log2_quarter_q6 >> 6;
	return v - ((u64)v * (log2_quarter_q6 & 63) >> 7);
}

/* Least queue delay that counts as a queue, in us. */
u32 kcc_theta_us(const struct sock *sk)
{
	u32 bdp_pkts = kcc_bdp_pkts(sk, kcc_bw(kcc_ca(sk)), KCC_UNIT);
	u32 theta_us = kcc_over_root4(kcc_model_rtt_us(sk) >> KCC_THETA_SHIFT,
				      bdp_pkts);

	return max_t(u32, theta_us, KCC_THETA_MIN_US);
}

/* Window to add for acknowledgements that come in clumps: the most acked in
 * excess of bw over the last two cycles, at most one BDP.  BBR's bound of
 * 100 ms is 100 BDP on a 1 ms path.  Where jitter is longer than T it is the
 * jitter that the window must cover.
 */
u32 kcc_extra_acked_pkts(const struct sock *sk)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 extra_pkts = max(kcc->extra_acked[0], kcc->extra_acked[1]);
	u32 rtt_us = kcc_model_rtt_us(sk);

	if (!rtt_us)
		return min_t(u32, extra_pkts, TCP_INIT_CWND);
	if (kcc_is_jittery(kcc))
		rtt_us = max(rtt_us, kcc_delay_max_us(kcc));
	return min(extra_pkts, kcc_fp_bdp_pkts(kcc_bw(kcc), rtt_us, KCC_UNIT));
}

/* Does this ACK begin a new packet-timed round? */
static void kcc_update_round(struct sock *sk, const struct rate_sample *rs)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc->round_start = 0;
	if (rs->delivered < 0 || rs->interval_us <= 0)
		return;
	if (before(rs->prior_delivered, kcc->next_round))
		return;
	kcc->next_round = tcp_sk(sk)->delivered;
	kcc->round_start = 1;
	kcc->packet_conservation = 0;
	if (kcc->rounds < 15)
		kcc->rounds++;
}

/* Samples limited by the application only count where they show more; those of
 * PROBE_RTT, limited by ourselves, not at all.
 */
static void kcc_update_bw(struct sock *sk, struct kcc_ack *ack)
{
	const struct rate_sample *rs = ack->rs;
	struct kcc *kcc = kcc_ca(sk);

	if (rs->delivered <= 0 || rs->interval_us <= 0)
		return;
	ack->bw = kcc_fp_bw(rs->delivered, rs->interval_us);
	if (kcc->mode == KCC_PROBE_RTT)
		return;
	if (!rs->is_app_limited || ack->bw >= kcc_bw(kcc))
		kcc->bw_max[0] = max(kcc->bw_max[0], ack->bw);
}

/* How far a drain goes, as a share of the BDP.  At 1.0 a lone flow with too
 * large a T keeps a queue of just the error and confirms it for ever: 0.75 is
 * needed for the first proof, for one asked for by the filter's fail-safe, and
 * before m follows an x that has drifted away from it.
 */
u32 kcc_drain_gain(const struct kcc *kcc)
{
	bool has_drifted = kcc_kf_x_us(&kcc->kf) >
			   kcc->min_rtt_us + (kcc->min_rtt_us >> KCC_DRIFT_SHIFT);

	if (kcc->proven && !has_drifted && !kcc_kf_wants_recalibration(&kcc->kf))
		return KCC_UNIT;
	return KCC_UNIT * 3 / 4;
}

/**
 * kcc_open_drained_window() - the pipe holds at most 1 BDP: measure
 * @sk: socket, locked
 * @deep: it holds at most 0.75 BDP, which is proof
 */
void kcc_open_drained_window(struct sock *sk, bool deep)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);

	kcc->window_deep = deep;
	kcc->phase_delivered = tp->delivered;
	kcc->drained_end = tp->delivered + max(tcp_packets_in_flight(tp), 1U);
	kcc->drained_rtt_us = ~0U;
	kcc->window_open = 1;
}

/* Feed an open drained window; close it when its last packet is acked, or as
 * soon as more than 1.05 BDP and a burst are in flight.
 */
static void kcc_update_drained_window(struct sock *sk, const struct kcc_ack *ack)
{
	const struct rate_sample *rs = ack->rs;
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);
	u32 limit_pkts;

	if (!kcc->window_open || rs->delivered <= 0)
		return;
	if (!before(rs->prior_delivered, kcc->drained_end)) {
		kcc->window_open = 0;
		kcc->window_done = kcc->drained_rtt_us != ~0U;
		return;
	}
	if (rs->rtt_us > 0 && !before(rs->prior_delivered, kcc->phase_delivered))
		kcc->drained_rtt_us = min_t(u32, kcc->drained_rtt_us, rs->rtt_us);
	limit_pkts = kcc_bdp_pkts(sk, kcc_proven_bw(kcc), kcc->window_deep ?
				  KCC_UNIT * 4 / 5 : KCC_UNIT * 21 / 20);
	limit_pkts += kcc_extra_acked_pkts(sk) + KCC_BURST_PKTS;
	if (tcp_packets_in_flight(tp) > limit_pkts &&
	    after(kcc->drained_end, tp->delivered))
		kcc->drained_end = tp->delivered;
}

/* The path is longer (or shorter) than T by the word of two drained rounds. */
void kcc_accept_path(struct sock *sk, u32 rtt_us)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc_kf_init(&kcc->kf, rtt_us);
	kcc->min_rtt_us = rtt_us;
	kcc->fresh_ticks = kcc_now_ticks();
	kcc->disagreed_us = 0;
	kcc->foreign = 0;
	kcc->proven = 0;
	kcc->queue_us = 0;
}

/* A drained round disagreed with T.  Twice in a row and alike: there is a queue
 * that our own drain does not touch, or the path is longer.
 */
static void kcc_note_disagreement(struct sock *sk, struct kcc_ack *ack, u32 z_us)
{
	u32 rtt_us = kcc_model_rtt_us(sk);
	struct kcc *kcc = kcc_ca(sk);
	u32 low_us = min_t(u32, z_us, kcc->disagreed_us);
	u32 apart_us = max_t(u32, z_us, kcc->disagreed_us) - low_us;

	if (kcc->disagreed_us &&
	    apart_us <= kcc_kf_gate_us(rtt_us, ack->noise_us) + KCC_THETA_MIN_US) {
		ack->agreed_us = low_us;
		ack->apart_us = apart_us;
	}
	kcc->disagreed_us = min_t(u32, z_us, BIT(28) - 1);
}

/* A drained round confirmed T.  It renews the interval of PROBE_RTT unless the
 * user wants PROBE_RTT by the clock.
 */
static void kcc_note_proof(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);

	if (kcc->window_deep)
		kcc->proven = 1;
	if (kcc->mode == KCC_PROBE_RTT ||
	    (kcc->proven && READ_ONCE(kcc_net(sk)->probe_rtt_decouple)))
		kcc->fresh_ticks = kcc_now_ticks();
}

/* One update of the filter per round, with the drained window's result when
 * one has closed, else with the round's minimum.
 */
static void kcc_filter_round(struct sock *sk, struct kcc_ack *ack, u32 z_us)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 noise_us = ack->noise_us;

	ack->drained = kcc->window_done;
	kcc->window_done = 0;
	if (ack->drained)
		z_us = min(z_us, kcc->drained_rtt_us);
	if (!kcc->noisy)
		noise_us = min(noise_us, kcc_model_rtt_us(sk) >> KCC_CALM_SHIFT);
	kcc_kf_predict(&kcc->kf);
	ack->verdict = kcc_kf_update(&kcc->kf, z_us, noise_us, ack->drained,
				     kcc->outlier);
	kcc->outlier = ack->verdict == KCC_KF_OUTLIER;
	switch (ack->verdict) {
	case KCC_KF_CONFIRMED:
		/* deep: no queue of ours can be in it, so m may follow */
		if (kcc->window_deep)
			kcc->min_rtt_us = z_us;
		kcc_note_proof(sk);
		kcc->disagreed_us = 0;
		fallthrough;
	case KCC_KF_FELL:
		kcc->min_rtt_us = min(kcc->min_rtt_us, z_us);
		break;
	case KCC_KF_DISAGREED:
		kcc_note_disagreement(sk, ack, z_us);
		break;
	default:
		break;
	}
}

/* How far the finished round's RTTs spread. */
static void kcc_update_noise(struct sock *sk, struct kcc_ack *ack)
{
	u32 srtt_us = tcp_sk(sk)->srtt_us >> 3;
	u32 spread_us = srtt_us > ack->round_rtt_us ?
			srtt_us - ack->round_rtt_us : 0;
	struct kcc *kcc = kcc_ca(sk);

	ack->noise_us = max(kcc_noise_us(sk), spread_us);
	/* not while a drain is under way */
	if (kcc->mode == KCC_STARTUP || (kcc->phase == KCC_CRUISE && kcc->rounds > 1)) {
		kcc->noisy = spread_us > kcc_model_rtt_us(sk) >> KCC_NOISY_SHIFT;
		kcc->noisy_rounds = kcc->noisy ? min(kcc->noisy_rounds + 1, 7) : 0;
	}
	if (kcc->mode == KCC_STARTUP)
		kcc->high_rounds = kcc->noisy ? min(kcc->high_rounds + 1, 3) : 0;
}

/* D follows the round's minimum in CRUISE, from its second round on: what our
 * own probe adds and takes back is no standing queue.
 */
static void kcc_update_queue(struct sock *sk, u32 z_us)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 delay_us;

	if (kcc->phase != KCC_CRUISE || kcc->rounds < 2)
		return;
	delay_us = min(kcc_delay_us(sk, z_us), KCC_QUEUE_MAX_US);
	kcc->queue_us += ((s64)delay_us - kcc->queue_us) >> KCC_QUEUE_SHIFT;
}

static void kcc_update_rtt(struct sock *sk, struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);
	long rtt_us = ack->rs->rtt_us;

	if (unlikely(!kcc->kf.x_us_q4) && rtt_us > 0)
		kcc_accept_path(sk, rtt_us);
	kcc_update_drained_window(sk, ack);
	if (kcc->round_start) {
		ack->round_rtt_us = kcc->round_rtt_us;
		kcc->round_rtt_us = ~0U;
		kcc->samples = 0;
		if (ack->round_rtt_us != ~0U) {
			kcc_update_noise(sk, ack);
			kcc_filter_round(sk, ack, ack->round_rtt_us);
			kcc_update_queue(sk, ack->round_rtt_us);
		}
	}
	if (rtt_us > 0) {
		kcc->round_rtt_us = min_t(u32, kcc->round_rtt_us, rtt_us);
		if (kcc->samples < 15)
			kcc->samples++;
	}
}

/* How much more is acked at once than bw explains: the epoch restarts whenever
 * the ACKs fall behind bw.
 */
static void kcc_update_ack_aggregation(struct sock *sk, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);
	u32 expected_pkts, extra_pkts, acked_pkts;

	if (!rs->acked_sacked || rs->delivered < 0 || rs->interval_us <= 0)
		return;
	expected_pkts = kcc_fp_bdp_pkts(kcc_bw(kcc),
					kcc_elapsed_us(sk, kcc->epoch_stamp_us),
					KCC_UNIT);
	acked_pkts = kcc->epoch_acked + rs->acked_sacked;
	if (kcc->epoch_acked <= expected_pkts || acked_pkts > U16_MAX) {
		kcc->epoch_stamp_us = tp->tcp_mstamp;
		acked_pkts = min_t(u32, rs->acked_sacked, U16_MAX);
		expected_pkts = 0;
	}
	kcc->epoch_acked = acked_pkts;
	extra_pkts = min(acked_pkts - expected_pkts, kcc_compat_cwnd(tp));
	kcc->extra_acked[0] = max_t(u32, kcc->extra_acked[0], extra_pkts);
}

/**
 * kcc_model_update() - take one ACK into the model
 * @sk: socket, locked
 * @ack: the ACK; its fields besides rs are filled in
 *
 * The order matters: a round is known before its RTT is filtered, the
 * bandwidth before the aggregation that is measured against it.
 */
void kcc_model_update(struct sock *sk, struct kcc_ack *ack)
{
	kcc_update_round(sk, ack->rs);
	kcc_update_bw(sk, ack);
	kcc_update_rtt(sk, ack);
	kcc_update_ack_aggregation(sk, ack->rs);
}

/* A connection begins; the handshake may already have measured the RTT. */
void kcc_model_init(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);
	u32 rtt_us = tcp_min_rtt(tp);

	kcc->next_round = tp->delivered;
	kcc->epoch_stamp_us = tp->tcp_mstamp;
	kcc->phase_stamp_us = tp->tcp_mstamp;
	kcc->phase_delivered = tp->delivered;
	kcc->round_rtt_us = ~0U;
	kcc->min_rtt_us = ~0U;
	kcc->fresh_ticks = kcc_now_ticks();
	if (rtt_us && rtt_us != ~0U)
		kcc_accept_path(sk, rtt_us);
}
