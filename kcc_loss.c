// SPDX-License-Identifier: GPL-2.0
/* What loss means: the path's own, or the bottleneck's
 *
 * Each cycle of PROBE_BW sends at three rates for nothing: UP, DOWN, CRUISE.
 * Loss that follows the rate is the bottleneck's (a shallow buffer, a policer);
 * loss that does not is the path's (radio, fibre) and is no reason to slow
 * down.  So every ACK is accounted to the phase that *sent* the packet:
 *
 *   base   share of loss in DOWN and CRUISE while no queue stands: the path's
 *   sums   CUSUM of lost - (1.5 base + 0.5 %) x sent, over UP and over everything
 *   h      verdict at 3 + 3 sqrt(base x BDP) packets
 *
 * The drift must be relative (1.5 x base): with base + 0.5 % the time between
 * false alarms falls as exp(2 x drift x h / share), useless at 5 % loss.  A sum,
 * not a share per round: ten flows have 43 packets a round each, too few for
 * any test of one round.
 *
 * A verdict lowers an upper bound of inflight.  What was delivered between
 * sending and acking the packet that brought it is what really fitted, BDP and
 * buffer, measured.  With many flows or a competitor a flow's own phase does not
 * move the loss: there the queue delay is the second witness and the cut is
 * deeper.  The bound grows again after UPs that reached it without a verdict.
 *
 * All of this runs under the socket's lock; divisions only once per round and
 * on ACKs that report a loss.
 */
#include "kcc.h"

/* Loss above the base that is tolerated: half a percent.  Ten flows at 0.1 BDP lose
 * 0.97, 1.11 % with it and 1.34, 1.25, 1.42 % with a whole one, a policed flow 1.62
 * and 2.07 %.  With random loss of 0.1 to 5 % the rate stays within 3 % in the mean; at
 * 20 % six runs spread from 16 to 77 Mbit/s, with a whole one from 14 to 70.
 */
#define KCC_LOSS_EPS_Q16	(U16_MAX / 200)
/* Loss share that ends STARTUP even without a queue: 15 % (40 % left twice as
 * many losses in a 0.1 BDP buffer, 0.99 against 0.41 %).
 */
#define KCC_STARTUP_SHARE_Q16	(U16_MAX * 15 / 100)
/* A queue delay above a quarter of T is a standing queue. */
#define KCC_STANDING_SHIFT	2
/* Cut when the queue stands, or the loss is not tied to UP. */
#define KCC_CUT_GAIN		(KCC_UNIT * 78 / 100)
/* Deepest single cut, of the smaller of bound and BDP: after a timeout "what
 * fitted" is a handful of packets.
 */
#define KCC_CUT_FLOOR_GAIN	(KCC_UNIT * 40 / 100)
/* A loss is at a full queue when its neighbours waited for three quarters of the
 * longest delay of late, if that is more than timers explain: T/32.
 */
#define KCC_FULL_SHIFT		2
#define KCC_FULL_MIN_SHIFT	5
/* Fewest packets behind the base before a verdict may fall. */
#define KCC_BASE_MIN_WEIGHT	4
#define KCC_BASE_UNIT_SHIFT	5
/* An account is closed at the end of a round only with this many packets. */
#define KCC_ACCOUNT_MIN_PKTS	32

/* Accounts keep the low 24 bits of the socket's counters: 16 million packets, which
 * is a round of 1 Tbit/s at 200 ms.
 */
#define KCC_COUNT_MASK		0xffffff

struct kcc_account {
	u32	sent_pkts;	/* delivered + lost */
	u32	lost_pkts;
	u32	full_pkts;	/* of these: at a full queue */
};

static struct kcc_account kcc_account(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct kcc *kcc = kcc_ca(sk);
	u32 lost_pkts = (tp->lost - kcc->acc_lost) & KCC_COUNT_MASK;

	return (struct kcc_account){
		.sent_pkts = ((tp->delivered - kcc->acc_delivered) & KCC_COUNT_MASK) +
			     lost_pkts,
		.lost_pkts = lost_pkts,
		.full_pkts = min_t(u32, kcc->acc_full, lost_pkts),
	};
}

static void kcc_open_account(struct sock *sk, enum kcc_phase phase)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc->acc_phase = phase;
	kcc->acc_delivered = tcp_sk(sk)->delivered;
	kcc->acc_lost = tcp_sk(sk)->lost;
	kcc->acc_full = 0;
}

/* Begin anew: what was sent before now says nothing about what comes. */
void kcc_loss_restart(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc->probe_sum_q4 = 0;
	kcc->all_sum_q4 = 0;
	kcc->loss_hold = 1;
	kcc->next_round = tcp_sk(sk)->delivered;
}

/* Packets lost, and sent, since the open account was opened. */
u32 kcc_lost_pkts(const struct sock *sk, u32 *sent_pkts)
{
	struct kcc_account acc = kcc_account(sk);

	*sent_pkts = acc.sent_pkts;
	return acc.lost_pkts;
}

void kcc_loss_init(struct sock *sk)
{
	kcc_ca(sk)->bound_pkts = ~0U;
	kcc_ca(sk)->ce_mark = tcp_sk(sk)->delivered_ce;
	kcc_open_account(sk, KCC_NO_PHASE);
}

/* The phase that sent the packet this ACK is about.  A phase lasts at least
 * one RTT, so what is acked now was sent in this one or the one before.
 */
static enum kcc_phase kcc_acked_phase(const struct kcc *kcc,
				      const struct rate_sample *rs)
{
	if (rs->delivered <= 0)
		return kcc->acc_phase;
	return before(rs->prior_delivered, kcc->phase_delivered) ?
		kcc->prev_phase : kcc->phase;
}

/* Queue delay of the round under way, in us. */
static u32 kcc_delay_now_us(const struct sock *sk)
{
	const struct kcc *kcc = kcc_ca(sk);

	if (kcc->round_rtt_us == ~0U)
		return kcc->queue_us;
	return kcc_delay_us(sk, kcc->round_rtt_us);
}

static bool kcc_is_queue_standing(const struct sock *sk)
{
	return kcc_delay_now_us(sk) > (kcc_model_rtt_us(sk) >> KCC_STANDING_SHIFT) +
				      kcc_noise_us(sk);
}

/* Expected losses of the path itself among this many packets, packets << 4. */
static u32 kcc_base_losses_q4(const struct kcc *kcc, u32 sent_pkts)
{
	return min_t(u64, (u64)sent_pkts * kcc->base_q16 >> 12, U32_MAX);
}

/* A CUSUM after this account: what exceeds 1.5 x base + 0.5 %, never below 0. */
static u32 kcc_cusum_q4(const struct kcc *kcc, u32 sum_q4, struct kcc_account acc)
{
	u64 drift_q16 = kcc->base_q16 + kcc->base_q16 / 2 + KCC_LOSS_EPS_Q16;
	u64 drift_q4 = acc.sent_pkts * drift_q16 >> 12;
	u64 up_q4 = sum_q4 + ((u64)acc.lost_pkts << 4);

	return up_q4 > drift_q4 ? min_t(u64, up_q4 - drift_q4, U16_MAX) : 0;
}

/* Verdict threshold h, packets << 4. */
static u32 kcc_verdict_q4(const struct sock *sk)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 bdp_pkts = kcc_bdp_pkts(sk, kcc_bw(kcc), KCC_UNIT);
	/* sqrt of a value << 8 is the root << 4 */
	u32 spread_q4 = int_sqrt(min_t(u64, (u64)kcc_base_losses_q4(kcc, bdp_pkts) << 4,
				       U32_MAX));

	return (3 << 4) + 3 * spread_q4;
}

/* Move the base toward an account's share, weighted by packets: at a few
 * packets a round a memory counted in rounds is noise (experiments L5: false
 * cuts locked a 12 Mbit/s flow in at a third of its rate).
 */
static void kcc_feed_base(struct kcc *kcc, struct kcc_account acc)
{
	u32 weight_pkts = kcc->base_weight << KCC_BASE_UNIT_SHIFT;
	s64 share_q16, step;

	if (!acc.sent_pkts)
		return;
	share_q16 = div_u64((u64)(acc.lost_pkts - acc.full_pkts) << 16,
			    acc.sent_pkts);
	step = (share_q16 - kcc->base_q16) * acc.sent_pkts;
	step = div_s64(step, min_t(u64, (u64)weight_pkts + acc.sent_pkts, S32_MAX));
	kcc->base_q16 = clamp_t(s64, kcc->base_q16 + step, 0, U16_MAX);
	weight_pkts += max_t(u32, acc.sent_pkts, 1 << KCC_BASE_UNIT_SHIFT);
	kcc->base_weight = min_t(u32, weight_pkts >> KCC_BASE_UNIT_SHIFT, U8_MAX);
}

/* Random loss is in every round, so no phase can lose less than the base.  One
 * that does, by more than chance, shows that the base is too high, whatever the
 * queue says: this heals a base that congestion has polluted.
 */
static bool kcc_is_base_refuted(const struct kcc *kcc, struct kcc_account acc)
{
	u32 expected_q4 = kcc_base_losses_q4(kcc, acc.sent_pkts);
	u32 chance_q4 = (1 << 4) + 2 * int_sqrt(min_t(u64, (u64)expected_q4 << 4,
						      U32_MAX));

	return expected_q4 > ((u64)acc.lost_pkts << 4) + chance_q4;
}

static bool kcc_may_feed_base(const struct sock *sk, struct kcc_account acc)
{
	const struct kcc *kcc = kcc_ca(sk);

	if (kcc_is_base_refuted(kcc, acc))
		return true;
	return kcc->acc_phase != KCC_UP && !kcc_is_queue_standing(sk);
}

/* Against somebody else's queue: a sixteenth of the bound for each second of the
 * cycle that ends, and a packet for every four of its rounds.  CUBIC takes back 30 %
 * of its window in (0.75 W)^(1/3) s, 10 packets/s at 170 and 28 at 800.
 */
static u32 kcc_compete_step_pkts(const struct sock *sk)
{
	u32 rounds = kcc_ca(sk)->cruise_rounds + 3;
	u64 cycle_us = (u64)rounds * (tcp_sk(sk)->srtt_us >> 3);

	return rounds / 4 + (u32)min_t(u64, kcc_ca(sk)->bound_pkts * cycle_us >> 24,
				       U16_MAX);
}

/* An UP that reached the bound and lost nothing shows that there is room.  The
 * step is additive and the same for every flow while a queue stands (growth in
 * proportion does not converge: four staggered flows Jain 0.63 to 0.91 with it,
 * 0.93 to 0.98 without), and doubles while none does.
 */
static void kcc_grow_bound(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 step_pkts, shift;

	if (kcc->bound_pkts == ~0U || !kcc->probe_full)
		return;
	if (kcc->clean_probes < 63)
		kcc->clean_probes++;
	if (kcc->foreign) {
		step_pkts = kcc_compete_step_pkts(sk);
	} else if (kcc_is_queue_standing(sk)) {
		step_pkts = kcc->clean_probes + kcc->clean_probes / 2;
	} else {
		shift = 7 - min_t(u32, kcc->clean_probes, 5);
		step_pkts = (kcc->bound_pkts >> shift) + 1;
	}
	kcc->bound_pkts += step_pkts;
	/* Far above what the flow uses it bounds nothing. */
	if (!kcc->foreign &&
	    kcc->bound_pkts > kcc_bdp_pkts(sk, kcc_bw(kcc), 3 * KCC_UNIT) + 64)
		kcc->bound_pkts = ~0U;
}

/* A verdict: never more in flight than what fitted. */
static void kcc_cut_bound(struct sock *sk, const struct rate_sample *rs, bool in_up)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 bdp_pkts = kcc_bdp_pkts(sk, kcc_bw(kcc), KCC_UNIT);
	u32 fit_pkts = max(rs->delivered, 0) + kcc_extra_acked_pkts(sk);
	u32 floor_pkts = kcc_fp_scale(min(kcc->bound_pkts, bdp_pkts),
				      KCC_CUT_FLOOR_GAIN);
	u32 bound_pkts;

	/* What a drain had in flight is no measure of what fits: without this a
	 * CUBIC's overflow during DOWN cut 128 packets to 54.
	 */
	if (!in_up)
		fit_pkts = max(fit_pkts, kcc_fp_scale(bdp_pkts, KCC_CRUISE_WINDOW));
	bound_pkts = min(kcc->bound_pkts, fit_pkts);
	if (!in_up || kcc_is_queue_standing(sk))
		bound_pkts = kcc_fp_scale(bound_pkts, KCC_CUT_GAIN);
	kcc->bound_pkts = max3(bound_pkts, floor_pkts, (u32)KCC_CWND_MIN_PKTS);
	kcc->clean_probes = 0;
	kcc_loss_restart(sk);
}

/* Close the open account: into the sums and, where it may, into the base. */
static void kcc_close_account(struct sock *sk, struct kcc_account acc)
{
	struct kcc *kcc = kcc_ca(sk);

	if (kcc->acc_phase == KCC_UP)
		kcc->probe_sum_q4 = kcc_cusum_q4(kcc, kcc->probe_sum_q4, acc);
	kcc->all_sum_q4 = kcc_cusum_q4(kcc, kcc->all_sum_q4, acc);
	if (kcc_may_feed_base(sk, acc))
		kcc_feed_base(kcc, acc);
}

/* Where in the range of delays does loss happen?  Where a queue overflows the
 * packets around the lost one have waited through all of it; loss of the path's own
 * does not care, and is not part of the base only when it happens to be there.  This
 * is the witness for many flows at a shallow buffer: their phases and the height of
 * the queue tell nothing (ten flows at 0.1 BDP: 2.7 to 3.8 % lost without it).
 */
static void kcc_note_loss_delay(struct sock *sk, const struct rate_sample *rs)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 delay_us, full_us;

	if (rs->rtt_us <= 0)
		return;
	delay_us = kcc_delay_us(sk, rs->rtt_us);
	full_us = kcc_delay_max_us(kcc);
	if (delay_us > full_us)
		kcc->delay_max_q = min_t(u32, delay_us >> 4, U16_MAX);
	if (rs->losses > 0 && full_us > kcc_model_rtt_us(sk) >> KCC_FULL_MIN_SHIFT &&
	    delay_us > full_us - (full_us >> KCC_FULL_SHIFT))
		kcc->acc_full = min_t(u32, kcc->acc_full + rs->losses, U8_MAX);
}

/* Is the loss so far more than the path's own? */
static bool kcc_is_verdict(const struct sock *sk, struct kcc_account acc)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 threshold_q4 = kcc_verdict_q4(sk);

	if (kcc->base_weight < KCC_BASE_MIN_WEIGHT && !kcc_is_queue_standing(sk))
		return false;
	if (kcc->acc_phase == KCC_UP &&
	    kcc_cusum_q4(kcc, kcc->probe_sum_q4, acc) > threshold_q4)
		return true;
	return kcc_cusum_q4(kcc, kcc->all_sum_q4, acc) > threshold_q4;
}

/* Rounds of STARTUP: their loss is the path's while no queue grows. */
static void kcc_account_startup(struct sock *sk)
{
	struct kcc_account acc = kcc_account(sk);
	u32 delay_us = kcc_delay_now_us(sk);

	if ((u64)acc.lost_pkts << 16 < (u64)acc.sent_pkts * KCC_STARTUP_SHARE_Q16 &&
	    delay_us <= kcc_theta_us(sk) + kcc_noise_us(sk))
		kcc_feed_base(kcc_ca(sk), acc);
	kcc_open_account(sk, KCC_NO_PHASE);
}

/* CE marks of the finished round: half their share off the inflight (as DCTCP
 * with all weight on the last round), down to one BDP; nothing while the administrator has not
 * asked for it.  KCC never negotiates ECN by itself, and marks only come where
 * it was.
 */
static void kcc_answer_marks(struct sock *sk, struct kcc_ack *ack)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);
	u32 marked_pkts, fit_pkts, bdp_pkts, share_q8;

	if (!kcc->round_start)
		return;
	marked_pkts = (u16)(tp->delivered_ce - kcc->ce_mark);
	kcc->ce_mark = tp->delivered_ce;
	if (!marked_pkts || ack->rs->delivered <= 0 ||
	    !READ_ONCE(kcc_net(sk)->ecn_enable))
		return;
	share_q8 = min_t(u32, (marked_pkts << 8) / ack->rs->delivered, KCC_UNIT);
	bdp_pkts = kcc_bdp_pkts(sk, kcc_bw(kcc), KCC_UNIT);
	fit_pkts = max(ack->rs->prior_in_flight,
		       kcc_fp_scale(bdp_pkts, KCC_CRUISE_WINDOW));
	fit_pkts = min(kcc->bound_pkts, fit_pkts);
	fit_pkts -= (u64)fit_pkts * share_q8 >> 9;
	kcc->bound_pkts = max3(fit_pkts, bdp_pkts, (u32)KCC_CWND_MIN_PKTS);
	kcc->clean_probes = 0;
	ack->congested = true;
}

/**
 * kcc_loss_update() - account one ACK; a verdict cuts the bound
 * @sk: socket, locked
 * @ack: the ACK, already in the model; .congested is set on a verdict
 */
void kcc_loss_update(struct sock *sk, struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);
	struct kcc_account acc;
	enum kcc_phase phase;

	kcc_answer_marks(sk, ack);
	kcc_note_loss_delay(sk, ack->rs);
	if (kcc->mode != KCC_PROBE_BW) {
		if (kcc->mode == KCC_STARTUP && kcc->round_start)
			kcc_account_startup(sk);
		return;
	}
	phase = kcc_acked_phase(kcc, ack->rs);
	if (kcc->loss_hold) {
		if (!kcc->round_start)
			return;
		kcc->loss_hold = 0;
		kcc_open_account(sk, phase);
		return;
	}
	acc = kcc_account(sk);
	if (ack->rs->losses > 0 || kcc->round_start || phase != kcc->acc_phase) {
		if (acc.lost_pkts && kcc_is_verdict(sk, acc)) {
			kcc_cut_bound(sk, ack->rs, kcc->acc_phase == KCC_UP);
			ack->congested = true;
			return;
		}
	}
	if (phase != kcc->acc_phase) {
		if (kcc->acc_phase == KCC_UP)
			kcc_grow_bound(sk);
		kcc_close_account(sk, acc);
		kcc_open_account(sk, phase);
	} else if (kcc->round_start && acc.sent_pkts >= KCC_ACCOUNT_MIN_PKTS) {
		kcc_close_account(sk, acc);
		kcc_open_account(sk, phase);
	}
}

/**
 * kcc_loss_ends_startup() - has STARTUP hit the wall in this round?
 * @sk: socket, locked
 * @ack: the ACK
 *
 * Return: true when more is lost than the path's own share explains, twice
 * over, and either a queue is there or the share is beyond doubt.
 */
bool kcc_loss_ends_startup(const struct sock *sk, const struct kcc_ack *ack)
{
	const struct kcc *kcc = kcc_ca(sk);
	struct kcc_account acc = kcc_account(sk);
	u32 allowed_q4, delay_us;

	if (!acc.lost_pkts || ack->rs->losses <= 0)
		return false;
	allowed_q4 = kcc_base_losses_q4(kcc, acc.sent_pkts) * 3 / 2 +
		     (acc.sent_pkts * 16 / 50) + 2 * kcc_verdict_q4(sk) + 16;
	if ((u64)acc.lost_pkts << 4 <= allowed_q4)
		return false;
	delay_us = kcc_delay_now_us(sk);
	if (delay_us > kcc_theta_us(sk) + kcc_noise_us(sk))
		return true;
	return (u64)acc.lost_pkts << 16 >=
	       (u64)acc.sent_pkts * KCC_STARTUP_SHARE_Q16;
}

/* STARTUP ended on loss: what it delivered in one flight is what fits. */
void kcc_loss_bound_startup(struct sock *sk, const struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc->bound_pkts = max3(kcc_bdp_pkts(sk, kcc_bw(kcc), KCC_UNIT),
			       (u32)max(ack->rs->delivered, 0),
			       (u32)KCC_CWND_MIN_PKTS);
	kcc->clean_probes = 0;
}
