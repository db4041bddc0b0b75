// SPDX-License-Identifier: GPL-2.0
/* The careful jump: STARTUP with the memory of earlier connections
 *
 *   rate                                         .-- STARTUP's own gain
 *    |                                     .----'
 *    |                        .-----------'   x 2 per RTT, as far as acked
 *    |                  .----'
 *    |           FLIGHT |  CHECK
 *    |   TRAIN .--------'
 *    |__.--------
 *   -+--------+--------+---------+---------+----> RTTs
 *      RECON     64 pkts  discount x share
 *
 *   RECON   the usual initial window.  All of it has to be acked without loss or
 *           CE, at an RTT like the stored one (RFC 9959, 3.2)
 *   TRAIN   64 packets at the rate of the jump.  A path that has become slow shows
 *           it by the delay of the last one; without, a jump that is ten times too
 *           large would lose most of an RTT's worth before its first ACK is back
 *   FLIGHT  the jump: one RTT at that rate, unvalidated (RFC 9959, 3.3)
 *   CHECK   its packets are acked.  STARTUP goes on, on ACKs that show no delay
 *   DONE    until STARTUP ends.  What an equal share of all was is known, so the last
 *           doubling does not overshoot it: from there on 1.25 a round (2 Gbit/s,
 *           134 ms, 4 flows, 0.75 BDP: 6887 losses without that, 4911 cold)
 *
 * Congestion in TRAIN to CHECK: safe retreat.  Half of what was delivered is kept,
 * STARTUP ends, the entry's life too (RFC 9959, 3.5 and appendix C).  At the end
 * of CHECK the model is what was really delivered.
 *
 * While a jump is not validated bw_max[1] holds its rate, so the usual gains make
 * pacing and window out of it; bw_max[0] is measured as ever.
 *
 * All of this runs under the socket's lock; kcc_seed.c has the locks of the
 * entries.
 */
#include "kcc.h"
#include "kcc_trace.h"

/* An application that has not filled the pipe by then is no case for a jump, and a
 * loss so late no news of the path.
 */
#define KCC_RECON_ROUNDS	12
/* More than a token bucket of 64 KB lets through at once (43 packets), and less
 * than what slow start would have sent by then (IW x 2^3).
 */
#define KCC_TRAIN_PKTS		64
/* Growth per round above an equal share. */
#define KCC_JUMP_NEAR_GAIN	(KCC_UNIT * 5 / 4)
/* A receiver delays the ACK of a packet that has no second (40 ms or more). */
#define KCC_ACK_PAIR		2U
/* The train at less than a quarter of the rate: the entry is wrong. */
#define KCC_TRAIN_SLOW_SHIFT	2
/* Losses that a flight may have: the path's own. */
#define KCC_JUMP_LOSS_PKTS	2
#define KCC_JUMP_LOSS_SHIFT	6
/* A jump takes three RTTs, and one more for each tripling of the receiver's window;
 * after ten it was not used.  Below KCC_SEED_BUDGET_SEC in any case.
 */
#define KCC_JUMP_TIMEOUT_RTTS	10
#define KCC_JUMP_TIMEOUT_US	(7 * USEC_PER_SEC)

static bool kcc_jump_is_marked(const struct sock *sk)
{
	return (u16)tcp_sk(sk)->delivered_ce != kcc_ca(sk)->ce_mark ||
	       inet_csk(sk)->icsk_ca_state == TCP_CA_CWR;
}

static bool kcc_jump_has_lost(const struct sock *sk, const struct rate_sample *rs)
{
	u32 sent_pkts;

	return kcc_lost_pkts(sk, &sent_pkts) || rs->losses > 0 ||
	       tcp_sk(sk)->total_retrans ||
	       inet_csk(sk)->icsk_ca_state >= TCP_CA_Recovery;
}

/* A flight may lose what a path loses by itself. */
static bool kcc_jump_is_congested(const struct sock *sk)
{
	u32 sent_pkts, lost_pkts = kcc_lost_pkts(sk, &sent_pkts);

	return lost_pkts > KCC_JUMP_LOSS_PKTS + (sent_pkts >> KCC_JUMP_LOSS_SHIFT) ||
	       kcc_jump_is_marked(sk) ||
	       inet_csk(sk)->icsk_ca_state == TCP_CA_Loss;
}

static bool kcc_jump_is_late(const struct sock *sk)
{
	u32 limit_us = KCC_JUMP_TIMEOUT_RTTS * kcc_ca(sk)->min_rtt_us;

	return kcc_elapsed_us(sk, kcc_ca(sk)->phase_stamp_us) >
	       min_t(u32, limit_us, KCC_JUMP_TIMEOUT_US);
}

/* Packets that the receiver's window has room for. */
static u32 kcc_jump_room_pkts(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	s32 room_bytes = tcp_wnd_end(tp) - tp->snd_nxt;

	return room_bytes > 0 ? room_bytes / tp->mss_cache : 0;
}

/* Use this rate for pacing and window from now on. */
static void kcc_jump_set_rate(struct sock *sk, u32 kbps)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc->bw_max[1] = kcc_fp_kbps_to_bw(kbps, tcp_sk(sk)->mss_cache);
	WRITE_ONCE(sk->sk_pacing_rate,
		   kcc_pacing_rate(sk, kcc->bw_max[1], KCC_UNIT));
}

static void kcc_jump_set_cwnd(struct sock *sk, u32 pkts)
{
	struct tcp_sock *tp = tcp_sk(sk);

	kcc_compat_set_cwnd(tp, min(max(pkts, kcc_compat_cwnd(tp)),
				    tp->snd_cwnd_clamp));
}

/**
 * kcc_jump_limit_gain() - don't overshoot what is known
 * @kcc: connection
 * @gain: window gain of STARTUP
 *
 * Return: the gain, lower where it would lead far above an equal share.
 */
u32 kcc_jump_limit_gain(const struct kcc *kcc, u32 gain)
{
	u32 limit_bw = kcc_fp_scale(kcc->ceiling_bw, KCC_JUMP_NEAR_GAIN);
	u32 bw = kcc_bw(kcc);

	if (kcc->jump < KCC_JUMP_CHECK || !limit_bw ||
	    kcc_fp_scale(bw, gain) <= limit_bw)
		return gain;
	return max_t(u32, div_u64((u64)limit_bw << KCC_SCALE, max(bw, 1U)),
		     KCC_JUMP_NEAR_GAIN);
}

/* Keep what was delivered, or half of it, and go on without the jump. */
static void kcc_jump_keep_delivered(struct sock *sk, struct kcc_ack *ack, bool half)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);
	u32 pkts;

	kcc->bw_max[0] = max(kcc->bw_max[0] >> half, 1U);
	kcc->bw_max[1] = 0;
	pkts = kcc_bdp_pkts(sk, kcc->bw_max[0], half ? KCC_UNIT :
			    kcc_startup_window_gain(sk));
	pkts = max_t(u32, pkts, half ? KCC_CWND_MIN_PKTS : TCP_INIT_CWND);
	if (half) {
		kcc->bound_pkts = pkts;
		ack->retreat = true;
	}
	kcc_compat_set_cwnd(tp, min(kcc_compat_cwnd(tp), pkts));
	WRITE_ONCE(sk->sk_pacing_rate,
		   kcc_pacing_rate(sk, kcc->bw_max[0],
				   kcc_startup_pacing_gain(sk)));
}

/* Nothing of the jump is left in the fields that it shares. */
static void kcc_jump_clear(struct kcc *kcc)
{
	kcc->jump = KCC_JUMP_NONE;
	kcc->jump_kbps = 0;
	kcc->jump_end = 0;
	kcc->ceiling_bw = 0;
}

/* A use is over.  One that is late has lost its place in the budget already. */
static void kcc_jump_end(struct sock *sk, struct kcc_ack *ack,
			 enum kcc_seed_outcome outcome)
{
	struct kcc *kcc = kcc_ca(sk);
	bool is_granted = kcc_is_granted(kcc);
	u32 kbps = is_granted ? kcc->jump_kbps : 0;

	if (is_granted && ack)
		kcc_jump_keep_delivered(sk, ack, outcome == KCC_SEED_RETREATED);
	kcc_seed_settle(sk, outcome, is_granted && !kcc_jump_is_late(sk) ? kbps : 0);
	kcc_seed_report(sk, outcome, kbps);
	if (outcome == KCC_SEED_VALIDATED)
		kcc->jump = KCC_JUMP_DONE;
	else
		kcc_jump_clear(kcc);
}

static void kcc_jump_fly(struct sock *sk, u32 kbps)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc->jump = KCC_JUMP_FLIGHT;
	kcc->jump_kbps = kbps;
	kcc->jump_end = tcp_sk(sk)->delivered;
	kcc_jump_set_rate(sk, kbps);
	kcc_jump_set_cwnd(sk, kcc_bdp_pkts(sk, kcc->bw_max[1], KCC_UNIT));
}

static void kcc_jump_start(struct sock *sk, u32 kbps, u32 full_kbps)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 flight_pkts = tcp_packets_in_flight(tp);
	struct kcc *kcc = kcc_ca(sk);
	u32 train_pkts = min_t(u32, KCC_TRAIN_PKTS, kcc_jump_room_pkts(sk));

	kcc->phase_stamp_us = tp->tcp_mstamp;
	kcc->ceiling_bw = kcc_fp_kbps_to_bw(full_kbps, tp->mss_cache);
	kcc_seed_report(sk, KCC_SEED_USED, kbps);
	kcc_jump_fly(sk, kbps);
	if (kcc_bdp_pkts(sk, kcc->bw_max[1], KCC_UNIT) <= KCC_TRAIN_PKTS)
		return;
	kcc->jump = KCC_JUMP_TRAIN;
	/* an ACK of the last two may be a delayed one */
	kcc->jump_end = tp->delivered + flight_pkts +
			max(train_pkts, KCC_ACK_PAIR) - KCC_ACK_PAIR;
	kcc_compat_set_cwnd(tp, flight_pkts + train_pkts);
}

static void kcc_jump_recon(struct sock *sk, struct kcc_ack *ack)
{
	struct tcp_sock *tp = tcp_sk(sk);
	enum kcc_seed_outcome outcome;
	struct kcc *kcc = kcc_ca(sk);
	u32 kbps = 0, full_kbps = 0;

	if (kcc->rounds >= KCC_RECON_ROUNDS) {
		kcc_jump_end(sk, ack, KCC_SEED_LATE);
		return;
	}
	if (kcc_jump_has_lost(sk, ack->rs)) {
		kcc_jump_end(sk, ack, KCC_SEED_LOSS);
		return;
	}
	if (kcc_jump_is_marked(sk)) {
		kcc_jump_end(sk, ack, KCC_SEED_CE);
		return;
	}
	/* wait for all of the initial window, and for something to send */
	if (before(tp->delivered, kcc->jump_end) || tp->app_limited ||
	    ack->rs->rtt_us <= 0)
		return;
	outcome = kcc_seed_ask(sk, ack->rs->rtt_us, &kbps, &full_kbps);
	if (outcome != KCC_SEED_USED) {
		kcc_jump_end(sk, ack, outcome);
		return;
	}
	if (kcc_fp_bdp_pkts(kcc_fp_kbps_to_bw(kbps, tp->mss_cache), kcc->min_rtt_us,
			    KCC_UNIT) <= kcc_compat_cwnd(tp)) {
		kcc_seed_settle(sk, KCC_SEED_NO_GAIN, kbps);
		kcc_jump_end(sk, ack, KCC_SEED_NO_GAIN);
		return;
	}
	kcc_jump_start(sk, kbps, full_kbps);
}

/* The rate that the train came through at: the delay of its last packet is what
 * the bottleneck needed more than the sender.
 */
static u32 kcc_jump_train_kbps(const struct sock *sk, u32 sent_kbps, u32 rtt_us)
{
	u32 min_rtt_us = kcc_ca(sk)->min_rtt_us;
	u32 delay_us = rtt_us > min_rtt_us ? rtt_us - min_rtt_us : 0;
	u64 kbit_us = (u64)KCC_TRAIN_PKTS * tcp_sk(sk)->mss_cache * 8 * 1000;

	return div_u64(kbit_us, div_u64(kbit_us, max(sent_kbps, 1U)) + delay_us + 1);
}

static void kcc_jump_train(struct sock *sk, struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 kbps;

	if (before(tcp_sk(sk)->delivered, kcc->jump_end) || ack->rs->rtt_us <= 0)
		return;
	kbps = kcc_jump_train_kbps(sk, kcc->jump_kbps, ack->rs->rtt_us);
	if (kbps < kcc->jump_kbps >> KCC_TRAIN_SLOW_SHIFT) {
		kcc_jump_end(sk, ack, KCC_SEED_SLOW);
		return;
	}
	kbps = min(kbps, kcc->jump_kbps);
	kcc_seed_settle(sk, KCC_SEED_USED, kcc->jump_kbps - kbps);
	kcc_jump_fly(sk, kbps);
}

/* One RTT of the flight has passed: its first packet is acked.  A receiver's window
 * begins at 64 KB and at most triples each RTT; until half of the jump is in flight,
 * which STARTUP doubles by itself, fly on at the same rate.
 */
static void kcc_jump_land(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 flight_pkts = tcp_packets_in_flight(tp);
	struct kcc *kcc = kcc_ca(sk);

	if (flight_pkts >= kcc_bdp_pkts(sk, kcc->bw_max[1], KCC_UNIT / 2)) {
		kcc->jump = KCC_JUMP_CHECK;
		kcc->jump_end = tp->delivered + flight_pkts;
	} else {
		kcc->jump_end = tp->delivered;
	}
}

/**
 * kcc_jump_update() - one ACK of a connection that uses an entry
 * @sk: socket, locked, in STARTUP
 * @ack: the ACK, in the model, its losses not yet accounted; .retreat is set when
 *	 STARTUP has to end
 */
void kcc_jump_update(struct sock *sk, struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);

	if (kcc->jump == KCC_JUMP_RECON)
		kcc_jump_recon(sk, ack);
	if (!kcc_is_granted(kcc))
		return;
	if (kcc_jump_is_congested(sk)) {
		kcc_jump_end(sk, ack, KCC_SEED_RETREATED);
		return;
	}
	if (kcc_jump_is_late(sk)) {
		kcc_jump_end(sk, ack, KCC_SEED_EXPIRED);
		return;
	}
	/* no plateau while the rate is ours */
	kcc->ref_bw = 0;
	switch (kcc->jump) {
	case KCC_JUMP_TRAIN:
		kcc_jump_train(sk, ack);
		break;
	case KCC_JUMP_FLIGHT:
		if (ack->rs->delivered > 0 &&
		    !before(ack->rs->prior_delivered, kcc->jump_end))
			kcc_jump_land(sk);
		break;
	default:
		if (!before(tcp_sk(sk)->delivered, kcc->jump_end))
			kcc_jump_end(sk, ack, KCC_SEED_VALIDATED);
		break;
	}
}

/* STARTUP ends by itself, on delay or a plateau. */
void kcc_jump_leave(struct sock *sk, struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);

	if (kcc->jump == KCC_JUMP_RECON)
		kcc_jump_end(sk, ack, KCC_SEED_LATE);
	else if (kcc->jump == KCC_JUMP_TRAIN)
		kcc_jump_end(sk, ack, KCC_SEED_SLOW);
	else if (kcc_is_granted(kcc))
		kcc_jump_end(sk, ack, KCC_SEED_VALIDATED);
	if (kcc->jump == KCC_JUMP_DONE)
		kcc_jump_clear(kcc);
}

/* A connection begins. */
void kcc_jump_init(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	kcc_seed_join(sk);
	if (kcc_ca(sk)->jump)
		kcc_ca(sk)->jump_end = tp->delivered + kcc_compat_cwnd(tp);
}

/* Packets after idle: a jump that was not used is not used any more. */
void kcc_jump_idle(struct sock *sk)
{
	struct kcc_ack ack = {};

	if (kcc_is_granted(kcc_ca(sk)))
		kcc_jump_end(sk, &ack, KCC_SEED_EXPIRED);
}

/* The connection ends, or takes another algorithm. */
void kcc_jump_release(struct sock *sk)
{
	if (kcc_is_granted(kcc_ca(sk)))
		kcc_jump_end(sk, NULL, KCC_SEED_EXPIRED);
	kcc_seed_leave(sk);
}
