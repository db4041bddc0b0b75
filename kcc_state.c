// SPDX-License-Identifier: GPL-2.0
/* State machine and gains
 *
 *            |
 *            V
 *      +-> STARTUP ----+------------------.
 *      |      |        | (plateau, loss, delay)
 *      |      V        |
 *      |    DRAIN      |
 *      |      | (elapsed >= T and inflight <= BDP; or 4 T)
 *      |      V
 *      |  +-> CRUISE ------> UP -------> DOWN --+     PROBE_BW
 *      |  |   (6-10 rounds)  | (target,  |      |
 *      |  |      ^           |  loss,    |      |
 *      |  |      |           |  delay)   |      |
 *      |  +------+-----------|-----------+------+  (the gate of DRAIN)
 *      +---------------------+ (room: the rate grew by 1.37)
 *         |      ^
 *         V      | (confirmed, path change, not ours, timeout)
 *       PROBE_RTT     (doubt: RTT > 1.5 T for two rounds; or 10 s unconfirmed)
 *
 * While somebody else holds the queue (not ours) UP and DOWN last one round each
 * and PROBE_RTT asks again every 6 s.
 *
 * A flow starts by doubling each round, and stops when the RTT of the round
 * under way shows a queue, instead of after three flat rounds: that is where
 * BBR loses most of its packets.  It drains until the queue is *gone* (two
 * gates, time and inflight), which makes a drained round, the only evidence on
 * which T may rise.  Then it cruises at the bandwidth, and asks for more every
 * 6 to 10 rounds, the more gently the more queue and noise it sees.
 *
 * All of this runs under the socket's lock, once per ACK.
 */
#include "kcc.h"
#include "kcc_trace.h"

/* Step of STARTUP while the delay has begun to grow. */
#define KCC_SLOW_DOWN_GAIN	(KCC_UNIT * 3 / 2)
/* RTT samples of a round before its minimum means anything, and packets in
 * flight below which bursts look like a queue (with neither, jitter of 10 ms
 * on 40 ms held a flow at 22 of 46 Mbit/s).
 */
#define KCC_DELAY_MIN_SAMPLES	8
#define KCC_DELAY_MIN_PKTS	64
/* Rounds in a row whose RTTs spread before it is called jitter: the one in which
 * the queue begins to grow spreads as well, and waiting for its end costs three
 * times the losses (2299 against 818 on 400 Mbit/s, 134 ms, 4 flows).
 */
#define KCC_NOISY_ROUNDS	2
/* Plateau: three rounds that grow by less than a quarter (BBR). */
#define KCC_GROWTH_GAIN		(KCC_UNIT * 5 / 4)
#define KCC_FLAT_ROUNDS		3

/* DRAIN: the inverse of STARTUP's growth; at the target pace at bw and wait for
 * the clock, or the pipe runs dry (left at 0.87 BDP otherwise).
 */
#define KCC_DRAIN_GAIN		(KCC_UNIT * 35 / 100)
#define KCC_DOWN_GAIN		(KCC_UNIT * 3 / 4)
#define KCC_HOLD_GAIN		(KCC_UNIT * 97 / 100)
#define KCC_DRAIN_TIMEOUT_RTTS	4

/* UP: 1.25 at an empty queue, 1.08 at a standing one.  At a floor of 1.0 bw can
 * only fall, since pacing runs a little below it (1.8 of 46 Mbit/s in jitter).
 */
#define KCC_UP_GAIN		(KCC_UNIT * 5 / 4)
#define KCC_UP_FLOOR_GAIN	(KCC_UNIT * 108 / 100)
#define KCC_UP_ROUNDS		4
/* Room: three rounds of UP that brought this much are no probe any more. */
#define KCC_ROOM_GAIN		(KCC_UNIT * 137 / 100)
#define KCC_ROOM_ROUNDS		3
/* The queue that a probe may build.  Judged by the smoothed RTT instead of the minimum
 * of the round under way, which is the RTT of its first packet, a probe ends a round
 * earlier: path 2 queue 7.3 -> 3.8 ms, path 1 with 4 flows Jain 0.978, 0.988 -> 0.995,
 * 0.998, ten flows at once 0.955, 0.981 -> 0.967, 0.892, 0.991.
 */
#define KCC_UP_DELAY_SHIFT	4
#define KCC_UP_DELAY_MIN_US	500
/* Range of queue delay over which the gain decays, T/32: narrow, so that flows
 * of different size behave differently at one queue (see kcc_theta_us()).
 */
#define KCC_DECAY_SHIFT		5

/* CRUISE. */
#define KCC_CRUISE_ROUNDS	6
#define KCC_CRUISE_SPREAD	5
#define KCC_FOREIGN_WINDOW	(KCC_UNIT * 2)
/* A round is saturated when less than this share of what was paced came out. */
#define KCC_SATURATED_GAIN	(KCC_UNIT * 96 / 100)
#define KCC_SATURATED_FLOOR	(KCC_UNIT * 81 / 100)

/* PROBE_RTT: after this long without a drained confirmation (BBR's 10 s: a path that
 * gets longer is noticed within a few breaths of a person waiting), at the next slot:
 * one by one each of four flows on 2 Gbit/s, 134 ms took the queue of the other three
 * for the path, 144.8 ms.
 */
#define KCC_PROBE_RTT_TICKS	(9 * HZ >> KCC_TICK_SHIFT)
#define KCC_PROBE_RTT_SLOT_US	(2 * USEC_PER_SEC)
#define KCC_PROBE_RTT_ROUNDS	8
/* Doubt: so many rounds in a row far above T.  Noise counts up to T/2 or the grain
 * of a slotted link (with twice as much a longer path under jitter of 3 ms was not
 * noticed, 39 of 46 Mbit/s; with half of it jitter of 10 ms raised 17 alarms in 30 s).
 */
#define KCC_DOUBT_ROUNDS	2
#define KCC_DOUBT_NOISE_US	(8 * USEC_PER_MSEC)

/* Somebody else's queue: what a check must have left of it, T/8, the least length of
 * a check (flows with longer RTTs drain later), the time between checks, and how many
 * in a row must find no queue before we believe that it is gone.  CUBIC empties its
 * queue every few seconds: with 2 instead of 3 it took 67 instead of 60 % of
 * 50 Mbit/s, 40 ms, 1 BDP (four seeds each).
 */
#define KCC_FOREIGN_SHIFT	3
#define KCC_CHECK_MIN_US	(200 * USEC_PER_MSEC)
#define KCC_CHECK_SLOT_US	(6 * USEC_PER_SEC)
#define KCC_FOREIGN_CHECKS	3
/* Two drained rounds on a longer path differ by less than T/64 and a timer's grain. */
#define KCC_FLAT_SHIFT		6
#define KCC_FLAT_MIN_US		500

/* Every transition goes through here. */
static void kcc_enter(struct sock *sk, enum kcc_mode mode, enum kcc_phase phase,
		      enum kcc_why why)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);
	u32 from = kcc_state_id(kcc);

	kcc->prev_phase = kcc->phase;
	kcc->mode = mode;
	kcc->phase = phase;
	kcc->rounds = 0;
	kcc->window_open = 0;
	kcc->pacing_gain = 0;	/* to be set anew, not only at the next round */
	kcc->phase_stamp_us = tp->tcp_mstamp;
	kcc->phase_delivered = tp->delivered;
	trace_kcc_state(sk, from, kcc_state_id(kcc), why);
}

/* --- targets -------------------------------------------------------------- */

/* Smallest RTT of the round under way minus T, in us; 0 while unknown. */
static u32 kcc_round_delay_us(const struct sock *sk)
{
	const struct kcc *kcc = kcc_ca(sk);

	if (kcc->samples < KCC_DELAY_MIN_SAMPLES)
		return 0;
	return kcc_delay_us(sk, kcc->round_rtt_us);
}

/* Drain target.  While a queue stands the last sample counts if it is lower: our
 * share is what comes out, not what once did.  Without a queue a lower sample
 * only mirrors our own draining, and the target would run away from us.
 */
static u32 kcc_drain_target_pkts(const struct sock *sk, const struct kcc_ack *ack)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 gain = kcc->mode == KCC_DRAIN ? KCC_UNIT : kcc_drain_gain(kcc);
	u32 bw = kcc_bw(kcc);

	if (ack->bw && !ack->rs->is_app_limited && !ack->rs->is_retrans &&
	    kcc_round_delay_us(sk) > kcc_theta_us(sk))
		bw = min(bw, ack->bw);
	return max_t(u32, kcc_bdp_pkts(sk, bw, gain), KCC_CWND_MIN_PKTS);
}

/* --- predicates --------------------------------------------------------- */

/* STARTUP sees a delay above T >> shift (at least 1 ms at the exit): in the round
 * under way, before it is over; where RTTs spread, only in a finished round.
 */
static bool kcc_is_startup_delayed(struct sock *sk, const struct kcc_ack *ack,
				   u32 shift, u32 floor_us)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 limit_us = max(kcc_model_rtt_us(sk) >> shift, floor_us);

	if (kcc->exit_lenient)
		limit_us *= 3;
	if (tcp_packets_in_flight(tcp_sk(sk)) < KCC_DELAY_MIN_PKTS)
		return false;
	if (kcc->high_rounds >= KCC_NOISY_ROUNDS)
		return kcc->round_start && ack->round_rtt_us != ~0U &&
		       ack->round_rtt_us > kcc_model_rtt_us(sk) + limit_us +
					   ack->noise_us;
	return kcc_round_delay_us(sk) > limit_us + kcc_noise_us(sk);
}

/* Three full rounds without growth.  Rounds in which the application did not
 * fill the pipe say nothing.
 */
static bool kcc_is_plateau(struct sock *sk, const struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);

	if (!kcc->round_start || ack->rs->is_app_limited)
		return false;
	if (kcc_bw(kcc) >= kcc_fp_scale(kcc->ref_bw, KCC_GROWTH_GAIN)) {
		kcc->ref_bw = kcc_bw(kcc);
		kcc->flat_rounds = 0;
		return false;
	}
	return ++kcc->flat_rounds >= KCC_FLAT_ROUNDS;
}

/* The AND-gate: the pipe is drained when one RTT has passed *and* no more than
 * a BDP is in flight.  Either alone lets a queue stay.
 */
static bool kcc_is_drained(struct sock *sk, const struct kcc_ack *ack)
{
	return kcc_elapsed_us(sk, kcc_ca(sk)->phase_stamp_us) >= kcc_model_rtt_us(sk) &&
	       kcc_inflight_pkts(sk) <= kcc_drain_target_pkts(sk, ack);
}

static bool kcc_is_drain_timeout(const struct sock *sk)
{
	return kcc_elapsed_us(sk, kcc_ca(sk)->phase_stamp_us) >=
	       KCC_DRAIN_TIMEOUT_RTTS * kcc_model_rtt_us(sk);
}

/* How much of the probe gain queue and noise take away, 0 to KCC_UNIT.  A queue
 * that is not ours does not count: a loss-based competitor must not silence us.
 */
static u32 kcc_decay(const struct sock *sk, const struct kcc_ack *ack)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 rtt_us = kcc_model_rtt_us(sk);
	u32 noise_us = max(kcc_noise_us(sk), ack->noise_us);
	u32 theta_us = kcc_theta_us(sk) + noise_us;
	u32 width_us = max(rtt_us >> KCC_DECAY_SHIFT, 1U);
	u32 excess_us, decay;

	if (kcc->foreign)
		return 0;
	excess_us = kcc->queue_us > theta_us ? kcc->queue_us - theta_us : 0;
	decay = min_t(u64, div_u64((u64)excess_us << KCC_SCALE, width_us), KCC_UNIT);
	/* noise: from T/16 on, all of it at T */
	excess_us = noise_us > rtt_us >> 4 ? noise_us - (rtt_us >> 4) : 0;
	decay = max_t(u32, decay, min_t(u64, div_u64((u64)excess_us << KCC_SCALE,
						     max(rtt_us, 1U)), KCC_UNIT));
	return decay * kcc_kf_confidence(&kcc->kf) >> KCC_SCALE;
}

/* A probe is over: it reached its inflight, or the path says stop. */
static bool kcc_is_up_done(struct sock *sk, const struct kcc_ack *ack,
			   enum kcc_why *why)
{
	u32 rtt_us = kcc_model_rtt_us(sk);
	struct kcc *kcc = kcc_ca(sk);

	*why = KCC_WHY_LOSS;
	if (ack->congested)
		return true;
	if (kcc_elapsed_us(sk, kcc->phase_stamp_us) < rtt_us)
		return false;
	*why = KCC_WHY_TARGET;
	if (tcp_packets_in_flight(tcp_sk(sk)) +
	    kcc_tso_segs_goal(sk, tcp_sk(sk)->mss_cache) >= kcc->bound_pkts) {
		kcc->probe_full = 1;
		return true;
	}
	if (kcc->foreign && kcc->rounds)
		return true;
	*why = KCC_WHY_DELAY;
	/* by the smoothed RTT, since the round's minimum is that of its beginning */
	if (!kcc->foreign && kcc->samples >= KCC_DELAY_MIN_SAMPLES &&
	    tcp_sk(sk)->srtt_us >> 3 > rtt_us + kcc->queue_us + kcc_noise_us(sk) +
	    max_t(u32, rtt_us >> KCC_UP_DELAY_SHIFT, KCC_UP_DELAY_MIN_US))
		return true;
	*why = KCC_WHY_TIMEOUT;
	return kcc->rounds >= KCC_UP_ROUNDS;
}

/* The probe has found so much that it should double instead. */
static bool kcc_has_room(const struct sock *sk, const struct kcc_ack *ack)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 rtt_us = kcc_model_rtt_us(sk);

	return kcc->round_start && kcc->rounds >= KCC_ROOM_ROUNDS &&
	       ack->bw >= kcc_fp_scale(kcc->ref_bw, KCC_ROOM_GAIN) &&
	       ack->round_rtt_us <= rtt_us + kcc_theta_us(sk) + ack->noise_us;
}

/* The bottleneck was busy all round and passed less than we paced: what came
 * out is our share.  This is what ends the over-estimate of a maximum filter.
 */
static bool kcc_is_saturated(const struct sock *sk, const struct kcc_ack *ack)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 rtt_us = kcc_model_rtt_us(sk), z_us = ack->round_rtt_us;
	u32 paced_bw = kcc_fp_scale(kcc_bw(kcc), kcc->pacing_gain);

	/* the first round of CRUISE still has DOWN's rate and UP's queue */
	if (!kcc->round_start || kcc->rounds < 2 || kcc->foreign ||
	    z_us == ~0U || !ack->bw || ack->rs->is_app_limited)
		return false;
	return z_us > rtt_us + kcc_theta_us(sk) + ack->noise_us &&
	       z_us <= rtt_us + (rtt_us >> 1) && !kcc->noisy &&
	       ack->bw < kcc_fp_scale(paced_bw, KCC_SATURATED_GAIN);
}

/* Has a slot of the wall clock begun within the last round?  Flows that wait for one
 * drain together, whatever host they are on, and so learn what the path is without
 * all of them.
 */
static bool kcc_is_slot_begun(const struct sock *sk, u32 slot_us)
{
	u32 past_us;

	div_u64_rem(div_u64(ktime_get_real_ns(), NSEC_PER_USEC), slot_us, &past_us);
	return past_us <= tcp_sk(sk)->srtt_us >> 3;
}

/* Is T still right?  Two rounds far above it; while somebody else is known to hold
 * the queue, at the next slot.
 */
static bool kcc_is_path_doubted(struct sock *sk, const struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 half_us, noise_us;

	if (!kcc->round_start || ack->round_rtt_us == ~0U)
		return false;
	half_us = kcc_model_rtt_us(sk) >> 1;
	noise_us = min(ack->noise_us, max_t(u32, half_us, KCC_DOUBT_NOISE_US));
	if (kcc_delay_us(sk, ack->round_rtt_us) <= half_us + USEC_PER_MSEC + 2 * noise_us)
		kcc->high_rounds = 0;
	else if (kcc->high_rounds < KCC_DOUBT_ROUNDS)
		kcc->high_rounds++;
	if (kcc->foreign)
		return kcc_is_slot_begun(sk, KCC_CHECK_SLOT_US);
	return kcc->high_rounds >= KCC_DOUBT_ROUNDS && !kcc->doubted;
}

static bool kcc_is_probe_rtt_due(const struct sock *sk)
{
	const struct kcc *kcc = kcc_ca(sk);

	return kcc->round_start && !kcc->idle_restart && !kcc->window_open &&
	       !kcc->window_done &&
	       (u16)(kcc_now_ticks() - kcc->fresh_ticks) > KCC_PROBE_RTT_TICKS &&
	       kcc_is_slot_begun(sk, KCC_PROBE_RTT_SLOT_US);
}

/* --- transitions -------------------------------------------------------- */

static void kcc_enter_startup(struct sock *sk, enum kcc_why why)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc_enter(sk, KCC_STARTUP, KCC_NO_PHASE, why);
	kcc->ref_bw = 0;
	kcc->flat_rounds = 0;
	kcc->slow_down = 0;
	kcc->exit_verify = 0;
	kcc->bound_pkts = ~0U;
}

static void kcc_enter_drain(struct sock *sk, struct kcc_ack *ack, enum kcc_why why)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc_jump_leave(sk, ack);
	kcc->exit_delay_us = kcc_round_delay_us(sk);
	kcc->exit_verify = why == KCC_WHY_DELAY && !kcc->exit_lenient;
	kcc->full_pipe = 1;
	kcc->high_rounds = 0;
	kcc_enter(sk, KCC_DRAIN, KCC_NO_PHASE, why);
	WRITE_ONCE(tcp_sk(sk)->snd_ssthresh,
		   kcc_bdp_pkts(sk, kcc_bw(kcc), KCC_UNIT));
}

static void kcc_enter_cruise(struct sock *sk, enum kcc_why why)
{
	struct kcc *kcc = kcc_ca(sk);
	bool deep = kcc->mode == KCC_PROBE_BW && kcc_drain_gain(kcc) < KCC_UNIT;
	bool from_outside = kcc->mode != KCC_PROBE_BW;

	kcc_enter(sk, KCC_PROBE_BW, KCC_CRUISE, why);
	kcc->cruise_rounds = KCC_CRUISE_ROUNDS +
			     kcc_compat_random_below(KCC_CRUISE_SPREAD);
	if (why != KCC_WHY_TIMEOUT && !kcc->foreign)
		kcc_open_drained_window(sk, deep);
	if (from_outside) {
		kcc->high_rounds = 0;
		kcc_loss_restart(sk);
	}
}

static void kcc_enter_up(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc_rotate_bw(kcc);
	kcc->delay_max_q -= kcc->delay_max_q / 4;
	kcc->ref_bw = kcc_bw(kcc);
	kcc->probe_full = 0;
	kcc->doubted = 0;
	kcc->exit_verify = 0;
	kcc_enter(sk, KCC_PROBE_BW, KCC_UP, KCC_WHY_CYCLE);
}

static void kcc_enter_probe_rtt(struct sock *sk, const struct kcc_ack *ack,
				enum kcc_why why)
{
	u32 delay_us = kcc_delay_us(sk, ack->round_rtt_us);
	struct kcc *kcc = kcc_ca(sk);

	kcc_save_cwnd(sk);
	kcc->doubted = why == KCC_WHY_PATH_CHECK;
	kcc->ref_bw = ack->rs->is_app_limited ? 0 : ack->bw;
	if (kcc->doubted && delay_us)
		kcc->queue_us = min(delay_us, KCC_QUEUE_MAX_US);
	kcc->disagreed_us = 0;
	kcc->high_rounds = 0;
	kcc->exit_verify = 0;
	kcc_enter(sk, KCC_PROBE_RTT, KCC_NO_PHASE, why);
}

static void kcc_leave_probe_rtt(struct sock *sk, enum kcc_why why)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);

	kcc_compat_set_cwnd(tp, max(kcc_compat_cwnd(tp), kcc->prior_cwnd));
	kcc->fresh_ticks = kcc_now_ticks();
	if (kcc->full_pipe)
		kcc_enter_cruise(sk, why);
	else
		kcc_enter_startup(sk, why);
}

/* --- what each state does with an ACK ------------------------------------ */

static void kcc_startup(struct sock *sk, struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc->slow_down = kcc_is_startup_delayed(sk, ack, 5, 0);
	if (ack->retreat) {
		kcc_enter_drain(sk, ack, KCC_WHY_LOSS);
	} else if (kcc_loss_ends_startup(sk, ack)) {
		kcc_loss_bound_startup(sk, ack);
		kcc_enter_drain(sk, ack, KCC_WHY_LOSS);
	} else if (kcc_is_startup_delayed(sk, ack, 3, USEC_PER_MSEC)) {
		kcc_enter_drain(sk, ack, KCC_WHY_DELAY);
	} else if (kcc_is_plateau(sk, ack)) {
		kcc_enter_drain(sk, ack, KCC_WHY_PLATEAU);
	}
}

/* STARTUP's maximum is that of a few bursts.  What came out while its queue
 * drained is the average of a saturated RTT: our share.
 */
static void kcc_take_drained_share(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 elapsed_us = kcc_elapsed_us(sk, kcc->phase_stamp_us);
	u32 delivered_pkts = tcp_sk(sk)->delivered - kcc->phase_delivered;
	u32 bw;

	if (kcc->mode != KCC_DRAIN || !elapsed_us)
		return;
	bw = kcc_fp_bw(delivered_pkts, elapsed_us);
	if (bw > kcc_bw(kcc) / 2 && bw < kcc_bw(kcc))
		kcc_set_bw(kcc, bw);
}

static void kcc_drain(struct sock *sk, struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);

	if (kcc->foreign && kcc->phase == KCC_DOWN) {
		/* only take back what UP queued; the rest is not ours to drain */
		if (kcc->rounds)
			kcc_enter_cruise(sk, KCC_WHY_NOT_OURS);
	} else if (kcc_is_drained(sk, ack)) {
		kcc_take_drained_share(sk);
		kcc_enter_cruise(sk, KCC_WHY_DRAINED);
	} else if (kcc_is_drain_timeout(sk)) {
		kcc_enter_cruise(sk, KCC_WHY_TIMEOUT);
	}
}

static void kcc_up(struct sock *sk, struct kcc_ack *ack)
{
	enum kcc_why why;

	if (kcc_has_room(sk, ack))
		kcc_enter_startup(sk, KCC_WHY_ROOM);
	else if (kcc_is_up_done(sk, ack, &why))
		kcc_enter(sk, KCC_PROBE_BW, KCC_DOWN, why);
}

/* STARTUP left because of a delay.  If our drain removed less than half of it,
 * it was noise or somebody else's queue: go on, but ask for more next time.
 */
static bool kcc_is_exit_refuted(struct sock *sk, const struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);

	if (!kcc->exit_verify || !ack->drained)
		return false;
	kcc->exit_verify = 0;
	return kcc->drained_rtt_us > kcc_model_rtt_us(sk) + kcc->exit_delay_us / 2;
}

static void kcc_cruise(struct sock *sk, struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 bw = kcc_bw(kcc);

	if (kcc_is_exit_refuted(sk, ack)) {
		kcc->exit_lenient = 1;
		kcc_enter_startup(sk, KCC_WHY_NOT_OURS);
		return;
	}
	if (kcc_is_saturated(sk, ack))
		kcc_set_bw(kcc, max(ack->bw, kcc_fp_scale(bw, KCC_SATURATED_FLOOR)));
	/* An application that leaves the pipe drained gives a window for free. */
	if (kcc->round_start && ack->rs->is_app_limited && !kcc->window_open &&
	    tcp_packets_in_flight(tcp_sk(sk)) < kcc_bdp_pkts(sk, bw, KCC_UNIT / 2))
		kcc_open_drained_window(sk, true);
	if (kcc->rounds >= kcc->cruise_rounds && !kcc->window_open)
		kcc_enter_up(sk);
}

static void kcc_probe_bw(struct sock *sk, struct kcc_ack *ack)
{
	switch (kcc_ca(sk)->phase) {
	case KCC_UP:
		kcc_up(sk, ack);
		break;
	case KCC_DOWN:
		kcc_drain(sk, ack);
		break;
	default:
		kcc_cruise(sk, ack);
		break;
	}
}

/* Two drained rounds agree on a delay above T.  A longer path does not care how
 * much we send, and stays as it is; a queue shrinks with our share of it, or goes
 * on growing.
 */
static bool kcc_is_path_longer(const struct sock *sk, const struct kcc_ack *ack)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 rtt_us = kcc_model_rtt_us(sk);
	u32 noise_us = kcc_is_jittery(kcc) ? ack->noise_us : 0;
	u32 flat_us = (ack->agreed_us >> KCC_FLAT_SHIFT) + KCC_FLAT_MIN_US + noise_us;

	if (!ack->agreed_us || ack->apart_us > flat_us)
		return false;
	return ack->agreed_us + kcc_kf_gate_us(rtt_us, noise_us) >=
	       rtt_us + kcc->queue_us;
}

/* All have drained, and a queue is still there: it is somebody else's.  Once may be
 * the STARTUP of another flow of KCC, unless more than a BDP is left.
 */
static void kcc_note_foreign(struct sock *sk, const struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 rtt_us = kcc_model_rtt_us(sk);

	if (kcc->disagreed_us <= rtt_us + (rtt_us >> KCC_FOREIGN_SHIFT) + ack->noise_us)
		return;
	if (kcc->suspect || kcc->disagreed_us > 2 * rtt_us)
		kcc->foreign = KCC_FOREIGN_CHECKS;
	kcc->suspect = 1;
}

/* T is confirmed.  After a doubt the queue was ours: bw is what came out before. */
static void kcc_end_confirmed(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc->suspect = 0;
	if (kcc->foreign)
		kcc->foreign--;
	if (kcc->doubted && kcc->ref_bw && !kcc->noisy)
		kcc_set_bw(kcc, min(kcc_bw(kcc), kcc->ref_bw));
	kcc_leave_probe_rtt(sk, KCC_WHY_CONFIRMED);
}

/* The path is longer: all that is known of the old one is void. */
static void kcc_end_path_change(struct sock *sk, const struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc_accept_path(sk, ack->agreed_us);
	kcc->proven = 1;
	kcc->bound_pkts = ~0U;
	kcc_leave_probe_rtt(sk, KCC_WHY_PATH_CHANGE);
}

/* Half a BDP until one drained round confirms T, or two agree on another. */
static void kcc_probe_rtt(struct sock *sk, struct kcc_ack *ack)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);
	bool is_short = kcc_elapsed_us(sk, kcc->phase_stamp_us) < KCC_CHECK_MIN_US;

	/* rates of this mode are our own doing */
	tp->app_limited = (tp->delivered + tcp_packets_in_flight(tp)) ? : 1;

	if (ack->drained && ack->verdict != KCC_KF_DISAGREED) {
		kcc_end_confirmed(sk);
	} else if (kcc_is_path_longer(sk, ack)) {
		kcc_end_path_change(sk, ack);
	} else if (ack->agreed_us && !is_short) {
		kcc_note_foreign(sk, ack);
		kcc_leave_probe_rtt(sk, KCC_WHY_NOT_OURS);
	} else if (kcc->rounds >= KCC_PROBE_RTT_ROUNDS) {
		kcc_note_foreign(sk, ack);
		kcc_leave_probe_rtt(sk, KCC_WHY_TIMEOUT);
	} else if (!kcc->window_open &&
		   tcp_packets_in_flight(tp) <=
		   max_t(u32, kcc_bdp_pkts(sk, kcc_proven_bw(kcc), KCC_UNIT * 3 / 4),
			 KCC_CWND_MIN_PKTS)) {
		kcc_open_drained_window(sk, true);
	}
}

void kcc_update_state(struct sock *sk, struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);

	switch (kcc->mode) {
	case KCC_STARTUP:
		kcc_startup(sk, ack);
		break;
	case KCC_DRAIN:
		kcc_drain(sk, ack);
		break;
	case KCC_PROBE_BW:
		if (kcc_is_path_doubted(sk, ack))
			kcc_enter_probe_rtt(sk, ack, KCC_WHY_PATH_CHECK);
		else if (kcc_is_probe_rtt_due(sk))
			kcc_enter_probe_rtt(sk, ack, KCC_WHY_INTERVAL);
		else
			kcc_probe_bw(sk, ack);
		break;
	case KCC_PROBE_RTT:
		kcc_probe_rtt(sk, ack);
		break;
	}
	if (ack->rs->delivered > 0)
		kcc->idle_restart = 0;
}

/* --- gains --------------------------------------------------------------- */

static void kcc_set_gains(struct kcc *kcc, u32 pacing_gain, u32 cwnd_gain)
{
	kcc->pacing_gain = min_t(u32, pacing_gain, KCC_GAIN_MAX);
	kcc->cwnd_gain = min_t(u32, cwnd_gain, KCC_GAIN_MAX);
}

static void kcc_update_probe_bw_gains(struct sock *sk, const struct kcc_ack *ack,
				      bool is_above)
{
	struct kcc *kcc = kcc_ca(sk);
	bool is_new = kcc->round_start || !kcc->pacing_gain;
	u32 gain = kcc->pacing_gain;

	switch (kcc->phase) {
	case KCC_UP:
		/* more while the queue is empty, little while one stands */
		if (is_new)
			gain = max_t(u32, KCC_UP_FLOOR_GAIN, KCC_UP_GAIN -
				     (kcc_decay(sk, ack) * (KCC_UNIT / 4) >> KCC_SCALE));
		kcc_set_gains(kcc, gain, kcc->foreign ? KCC_FOREIGN_WINDOW :
			      KCC_UNIT * 3 / 2);
		break;
	case KCC_DOWN:
		kcc_set_gains(kcc, is_above ? KCC_DOWN_GAIN : KCC_HOLD_GAIN,
			      kcc->foreign ? KCC_FOREIGN_WINDOW :
			      kcc_drain_gain(kcc));
		break;
	default:
		/* while a window is measured hold what the drain reached */
		if (kcc->window_open)
			kcc_set_gains(kcc, KCC_UNIT, kcc->window_deep ?
				      KCC_UNIT * 3 / 4 : KCC_UNIT);
		else
			kcc_set_gains(kcc, is_new ? KCC_UNIT - (kcc_decay(sk, ack) >> 4) :
				      gain, kcc->foreign ? KCC_FOREIGN_WINDOW :
				      KCC_CRUISE_WINDOW);
		break;
	}
}

void kcc_update_gains(struct sock *sk, const struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);
	bool is_above;

	switch (kcc->mode) {
	case KCC_STARTUP:
		if (kcc_is_jumping(kcc))
			kcc_set_gains(kcc, KCC_UNIT, KCC_UNIT);
		else if (kcc->slow_down)
			kcc_set_gains(kcc, KCC_SLOW_DOWN_GAIN, KCC_SLOW_DOWN_GAIN);
		else
			kcc_set_gains(kcc, kcc_startup_pacing_gain(sk),
				      kcc_startup_window_gain(sk));
		break;
	case KCC_DRAIN:
		is_above = kcc_inflight_pkts(sk) > kcc_drain_target_pkts(sk, ack);
		kcc_set_gains(kcc, is_above ? KCC_DRAIN_GAIN : KCC_UNIT, KCC_UNIT);
		break;
	case KCC_PROBE_BW:
		is_above = kcc->phase == KCC_DOWN &&
			   kcc_inflight_pkts(sk) > kcc_drain_target_pkts(sk, ack);
		kcc_update_probe_bw_gains(sk, ack, is_above);
		break;
	case KCC_PROBE_RTT:
		kcc_set_gains(kcc, KCC_UNIT, KCC_UNIT / 2);
		break;
	}
}

/* The first packets after idle are about to leave: the pipe is empty, and a
 * drained round comes for free.
 */
void kcc_state_idle(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);

	if (kcc->mode == KCC_PROBE_RTT) {
		kcc_leave_probe_rtt(sk, KCC_WHY_IDLE);
	} else if (kcc->mode == KCC_PROBE_BW) {
		kcc_enter_cruise(sk, KCC_WHY_IDLE);
		if (kcc->window_open)
			kcc->window_deep = 1;
		WRITE_ONCE(sk->sk_pacing_rate,
			   kcc_pacing_rate(sk, kcc_bw(kcc), KCC_UNIT));
	}
}
