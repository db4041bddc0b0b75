// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_model: bandwidth, propagation delay, queue and ACK aggregation */
#include "kcc_unit.h"
#include "../../kcc_model.c"

/* A flow in CRUISE that knows its path, in the middle of a round. */
static struct sock *model_flow(struct kunit *test)
{
	struct sock *sk = unit_sock(test);
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);

	tp->delivered = U32_MAX - UNIT_BDP;
	tp->packets_out = UNIT_BDP;
	tp->snd_cwnd = 2 * UNIT_BDP;
	unit_rtt(sk, UNIT_RTT_US);
	unit_init(sk);
	kcc_set_bw(kcc, UNIT_BW);
	kcc->mode = KCC_PROBE_BW;
	kcc->phase = KCC_CRUISE;
	kcc->kf.p_us2 = 1;
	kcc->proven = 1;
	kcc->full_pipe = 1;
	kcc->next_round = tp->delivered;
	return sk;
}

/* An ACK in the middle of the round, as a sample to be changed and taken. */
static struct rate_sample model_sample(const struct sock *sk, u32 rtt_us)
{
	return (struct rate_sample){
		.prior_delivered = kcc_ca(sk)->next_round - 1,
		.delivered = UNIT_BDP,
		.interval_us = UNIT_RTT_US,
		.rtt_us = rtt_us,
		.acked_sacked = 1,
	};
}

static struct kcc_ack take_sample(struct sock *sk, const struct rate_sample *rs)
{
	struct kcc_ack ack = { .rs = rs, .round_rtt_us = ~0U };

	tcp_sk(sk)->delivered += rs->acked_sacked;
	kcc_model_update(sk, &ack);
	return ack;
}

static struct kcc_ack take_ack(struct sock *sk, u32 rtt_us)
{
	struct rate_sample rs = model_sample(sk, rtt_us);

	return take_sample(sk, &rs);
}

/* The round ends with this RTT as its smallest, and another one begins. */
static struct kcc_ack take_round(struct sock *sk, u32 rtt_us)
{
	struct rate_sample rs;

	kcc_ca(sk)->round_rtt_us = rtt_us;
	rs = model_sample(sk, rtt_us);
	rs.prior_delivered = kcc_ca(sk)->next_round;
	tcp_sk(sk)->delivered += UNIT_BDP;
	return take_sample(sk, &rs);
}

static struct kcc_ack take_drained_round(struct sock *sk, u32 rtt_us, bool deep)
{
	kcc_ca(sk)->window_open = 0;
	kcc_ca(sk)->window_done = 1;
	kcc_ca(sk)->window_deep = deep;
	kcc_ca(sk)->drained_rtt_us = rtt_us;
	return take_round(sk, rtt_us);
}

/* --- rounds ------------------------------------------------------------------ */

static void round_begins_with_a_packet_sent_in_it(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);
	struct rate_sample rs = model_sample(sk, UNIT_RTT_US);

	kcc->packet_conservation = 1;
	take_sample(sk, &rs);
	KUNIT_EXPECT_FALSE(test, kcc->round_start);
	KUNIT_EXPECT_EQ(test, (u32)kcc->rounds, 0);
	KUNIT_EXPECT_TRUE(test, kcc->packet_conservation);
	rs.prior_delivered++;
	take_sample(sk, &rs);
	KUNIT_EXPECT_TRUE(test, kcc->round_start);
	KUNIT_EXPECT_EQ(test, (u32)kcc->rounds, 1);
	KUNIT_EXPECT_FALSE(test, kcc->packet_conservation);
	KUNIT_EXPECT_EQ(test, kcc->next_round, tcp_sk(sk)->delivered);
	take_sample(sk, &rs);
	KUNIT_EXPECT_FALSE(test, kcc->round_start);
}

static void round_needs_a_valid_sample(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct rate_sample rs = model_sample(sk, UNIT_RTT_US);

	rs.prior_delivered = kcc_ca(sk)->next_round;
	rs.delivered = -1;
	take_sample(sk, &rs);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->round_start);
	rs.delivered = 1;
	rs.interval_us = 0;
	take_sample(sk, &rs);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->round_start);
	rs.interval_us = -1;
	take_sample(sk, &rs);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->round_start);
}

static void round_count_saturates(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	u32 i;

	for (i = 0; i < 40; i++)
		take_round(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->rounds, 15);
}

/* --- bandwidth --------------------------------------------------------------- */

/* bw after one sample of so many BDP-fourths. */
static u32 bw_after(struct sock *sk, u32 quarters, bool is_app_limited)
{
	struct rate_sample rs = model_sample(sk, UNIT_RTT_US);

	rs.delivered = UNIT_BDP * quarters / 4;
	rs.is_app_limited = is_app_limited;
	take_sample(sk, &rs);
	return kcc_bw(kcc_ca(sk));
}

static void bw_is_a_maximum(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	KUNIT_EXPECT_EQ(test, bw_after(sk, 3, false), UNIT_BW);
	KUNIT_EXPECT_GE(test, bw_after(sk, 6, false), UNIT_BW * 3 / 2);
	KUNIT_EXPECT_GE(test, bw_after(sk, 4, false), UNIT_BW * 3 / 2);
}

static void bw_of_a_slow_application_counts_only_where_it_is_more(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	kcc_rotate_bw(kcc_ca(sk));
	bw_after(sk, 3, true);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bw_max[0], 0);
	KUNIT_EXPECT_GE(test, bw_after(sk, 6, true), UNIT_BW * 3 / 2);
}

static void bw_of_probe_rtt_does_not_count(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	kcc_ca(sk)->mode = KCC_PROBE_RTT;
	KUNIT_EXPECT_EQ(test, bw_after(sk, 8, false), UNIT_BW);
}

static void bw_needs_a_valid_sample(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct rate_sample rs = model_sample(sk, UNIT_RTT_US);

	rs.delivered = 10 * UNIT_BDP;
	rs.interval_us = 0;
	KUNIT_EXPECT_EQ(test, take_sample(sk, &rs).bw, 0);
	rs.interval_us = UNIT_RTT_US;
	rs.delivered = -1;
	KUNIT_EXPECT_EQ(test, take_sample(sk, &rs).bw, 0);
	KUNIT_EXPECT_EQ(test, kcc_bw(kcc_ca(sk)), UNIT_BW);
}

static void bw_counts_for_this_cycle_and_the_last(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc_rotate_bw(kcc);
	KUNIT_EXPECT_EQ(test, bw_after(sk, 2, false), UNIT_BW);
	kcc_rotate_bw(kcc);
	KUNIT_EXPECT_LE(test, bw_after(sk, 2, false), UNIT_BW / 2 + 1);
}

/* A cycle in which the application sent nothing of note is not one. */
static void bw_is_kept_over_cycles_without_a_sample(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);
	u32 i;

	for (i = 0; i < 5; i++) {
		kcc_rotate_bw(kcc);
		KUNIT_EXPECT_EQ(test, bw_after(sk, 1, true), UNIT_BW);
	}
}

static void elapsed_survives_the_wrap_of_its_stamp(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	tcp_sk(sk)->tcp_mstamp = (1ULL << 32) + 10;
	KUNIT_EXPECT_EQ(test, kcc_elapsed_us(sk, U32_MAX - 9), 20);
}

/* --- model RTT --------------------------------------------------------------- */

static void rtt_is_unknown_before_the_first_sample(struct kunit *test)
{
	struct sock *sk = unit_sock(test);
	struct rate_sample rs;

	unit_init(sk);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), 0);
	kcc_net(sk)->rtt_mode = 1;
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), 0);
	rs = model_sample(sk, -1);
	rs.rtt_us = -1;
	take_sample(sk, &rs);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), 0);
	take_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), UNIT_RTT_US);
}

static void rtt_is_the_smaller_of_filter_and_minimum(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->min_rtt_us = 50000;
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), UNIT_RTT_US);
	kcc->min_rtt_us = 30000;
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), 30000);
}

static void rtt_of_mode_1_is_the_minimum(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	kcc_net(sk)->rtt_mode = 1;
	kcc_ca(sk)->min_rtt_us = 50000;
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), 50000);
}

static void rtt_falls_with_any_shorter_round(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	KUNIT_EXPECT_EQ(test, take_round(sk, 38000).verdict, KCC_KF_FELL);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), 38000);
}

static void rtt_is_not_raised_by_rounds_with_a_queue(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	u32 i;

	for (i = 0; i < 200; i++)
		take_round(sk, UNIT_RTT_US + 50 * i);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), UNIT_RTT_US);
}

/* One short sample is a fault of the clock, two are a shorter path. */
static void rtt_far_below_needs_two_rounds(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	KUNIT_EXPECT_EQ(test, take_round(sk, 10000).verdict, KCC_KF_OUTLIER);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), UNIT_RTT_US);
	take_round(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, take_round(sk, 10000).verdict, KCC_KF_OUTLIER);
	KUNIT_EXPECT_EQ(test, take_round(sk, 11000).verdict, KCC_KF_FELL);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), 11000);
}

/* A path that grows by 1 % a cycle: every drained round confirms within the
 * gate, and T goes with them.  A satellite that moves away does that.
 */
static void rtt_follows_a_path_that_drained_rounds_confirm(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	u32 path_us = UNIT_RTT_US, i;

	for (i = 0; i < 70; i++) {
		path_us += path_us / 100;
		KUNIT_ASSERT_EQ(test, take_drained_round(sk, path_us, true).verdict,
				KCC_KF_CONFIRMED);
	}
	KUNIT_EXPECT_GE(test, kcc_kf_x_us(&kcc_ca(sk)->kf), path_us * 9 / 10);
	KUNIT_EXPECT_GE(test, kcc_model_rtt_us(sk), path_us * 9 / 10);
	KUNIT_EXPECT_LE(test, kcc_model_rtt_us(sk), path_us);
}

static void accepted_path_starts_anew(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->foreign = 3;
	kcc->disagreed_us = 90000;
	kcc->queue_us = 50000;
	kcc->fresh_ticks -= 20;
	kcc_accept_path(sk, 100000);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), 100000);
	KUNIT_EXPECT_FALSE(test, kcc->foreign);
	KUNIT_EXPECT_EQ(test, (u32)kcc->disagreed_us, 0);
	KUNIT_EXPECT_EQ(test, (u32)kcc->queue_us, 0);
	KUNIT_EXPECT_FALSE(test, kcc->proven);
	KUNIT_EXPECT_LE(test, (u16)(kcc_now_ticks() - kcc->fresh_ticks), 1);
	KUNIT_EXPECT_EQ(test, kcc_kf_confidence(&kcc->kf), 0);
}

/* All see the same queue: the larger flow must give way first. */
static void theta_shrinks_with_the_flow_and_has_a_floor(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	u32 bw, last_us = UNIT_RTT_US / 2;

	for (bw = UNIT_BW / 100; bw < 16 * KCC_BW_UNIT; bw += bw / 2 + 1) {
		kcc_set_bw(kcc_ca(sk), bw);
		KUNIT_EXPECT_LE(test, kcc_theta_us(sk), last_us);
		last_us = kcc_theta_us(sk);
	}
	KUNIT_EXPECT_LT(test, last_us, UNIT_RTT_US / 8);
	KUNIT_EXPECT_GE(test, last_us, KCC_THETA_MIN_US);
	kcc_accept_path(sk, 100);
	KUNIT_EXPECT_EQ(test, kcc_theta_us(sk), KCC_THETA_MIN_US);
}

/* T/2 over the fourth root of the BDP, within a tenth. */
static void theta_is_a_fourth_root(struct kunit *test)
{
	static const u32 roots[] = { 1, 2, 3, 5, 8, 10, 20, 30, 100 };
	u32 exact, n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(roots); i++) {
		n = roots[i] * roots[i] * roots[i] * roots[i];
		exact = 1000000 / roots[i];
		KUNIT_EXPECT_GE(test, kcc_over_root4(1000000, n), exact * 9 / 10);
		KUNIT_EXPECT_LE(test, kcc_over_root4(1000000, n), exact * 11 / 10);
	}
	KUNIT_EXPECT_EQ(test, kcc_over_root4(1000000, 0), 1000000);
	KUNIT_EXPECT_GT(test, kcc_over_root4(U32_MAX, U32_MAX), U32_MAX >> 9);
}

/* --- drained window ---------------------------------------------------------- */

/* An ACK of the packet that was sent at such a count of delivered ones. */
static struct kcc_ack take_sent_at(struct sock *sk, u32 prior_delivered, u32 rtt_us)
{
	struct rate_sample rs = model_sample(sk, rtt_us);

	rs.prior_delivered = prior_delivered;
	return take_sample(sk, &rs);
}

static void window_takes_what_was_sent_in_it(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);
	u32 start = tcp_sk(sk)->delivered;

	kcc_open_drained_window(sk, false);
	KUNIT_EXPECT_EQ(test, kcc->drained_end, start + UNIT_BDP);
	kcc->next_round = start + 10 * UNIT_BDP;
	/* late ACKs of what was sent with a queue */
	take_sent_at(sk, start - 1, UNIT_RTT_US - 5000);
	KUNIT_EXPECT_EQ(test, kcc->drained_rtt_us, ~0U);
	take_sent_at(sk, start, UNIT_RTT_US + 300);
	take_sent_at(sk, start + UNIT_BDP - 1, UNIT_RTT_US + 200);
	KUNIT_EXPECT_TRUE(test, kcc->window_open);
	KUNIT_EXPECT_EQ(test, kcc->drained_rtt_us, UNIT_RTT_US + 200);
	/* the first packet after it closes it, and does not count */
	take_sent_at(sk, start + UNIT_BDP, UNIT_RTT_US);
	KUNIT_EXPECT_FALSE(test, kcc->window_open);
	KUNIT_EXPECT_TRUE(test, kcc->window_done);
	KUNIT_EXPECT_EQ(test, kcc->drained_rtt_us, UNIT_RTT_US + 200);
}

static void window_of_an_empty_pipe_takes_one_packet(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	tcp_sk(sk)->packets_out = 0;
	kcc_open_drained_window(sk, true);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->drained_end, tcp_sk(sk)->delivered + 1);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_deep);
}

static void window_without_a_sample_says_nothing(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc_open_drained_window(sk, false);
	take_sent_at(sk, kcc->drained_end, UNIT_RTT_US);
	KUNIT_EXPECT_FALSE(test, kcc->window_open);
	KUNIT_EXPECT_FALSE(test, kcc->window_done);
}

/* Largest inflight at which an open window goes on. */
static u32 window_limit(struct kunit *test, bool deep)
{
	struct sock *sk;
	u32 pkts;

	for (pkts = UNIT_BDP / 2; pkts < 2 * UNIT_BDP; pkts++) {
		sk = model_flow(test);
		kcc_open_drained_window(sk, deep);
		tcp_sk(sk)->packets_out = pkts + 1;
		take_sent_at(sk, tcp_sk(sk)->delivered, UNIT_RTT_US);
		if (kcc_ca(sk)->drained_end == tcp_sk(sk)->delivered)
			break;
	}
	return pkts;
}

static void window_ends_when_the_pipe_fills(struct kunit *test)
{
	u32 limit = window_limit(test, false), deep_limit = window_limit(test, true);

	/* one BDP and what a burst adds, no queue worth the name */
	KUNIT_EXPECT_GE(test, limit, UNIT_BDP);
	KUNIT_EXPECT_LE(test, limit, UNIT_BDP * 11 / 10);
	KUNIT_EXPECT_GE(test, deep_limit, UNIT_BDP * 3 / 4);
	KUNIT_EXPECT_LT(test, deep_limit, UNIT_BDP);
}

static void window_result_waits_for_the_end_of_the_round(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc_ack ack;

	kcc_ca(sk)->window_done = 1;
	kcc_ca(sk)->drained_rtt_us = UNIT_RTT_US + 100;
	ack = take_ack(sk, UNIT_RTT_US + 9000);
	KUNIT_EXPECT_FALSE(test, ack.drained);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_done);
	ack = take_round(sk, UNIT_RTT_US + 9000);
	KUNIT_EXPECT_TRUE(test, ack.drained);
	KUNIT_EXPECT_EQ(test, ack.verdict, KCC_KF_CONFIRMED);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_done);
	ack = take_round(sk, UNIT_RTT_US + 9000);
	KUNIT_EXPECT_FALSE(test, ack.drained);
	KUNIT_EXPECT_EQ(test, ack.verdict, KCC_KF_REJECTED);
}

static void drain_gain_is_one_with_proof(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	KUNIT_EXPECT_EQ(test, kcc_drain_gain(kcc), KCC_UNIT);
	kcc->proven = 0;
	KUNIT_EXPECT_LT(test, kcc_drain_gain(kcc), KCC_UNIT);
	kcc->proven = 1;
	kcc->kf.p_us2 = U32_MAX;
	KUNIT_EXPECT_LT(test, kcc_drain_gain(kcc), KCC_UNIT);
}

static void proof_needs_a_deep_window(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->proven = 0;
	take_drained_round(sk, UNIT_RTT_US, false);
	KUNIT_EXPECT_FALSE(test, kcc->proven);
	take_drained_round(sk, UNIT_RTT_US * 2, true);
	KUNIT_EXPECT_FALSE(test, kcc->proven);
	take_drained_round(sk, UNIT_RTT_US, true);
	KUNIT_EXPECT_TRUE(test, kcc->proven);
}

/* Is PROBE_RTT's interval renewed by one round? */
static bool renews_interval(struct sock *sk, u32 rtt_us, bool drained)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc->fresh_ticks = kcc_now_ticks() - 60;
	if (drained)
		take_drained_round(sk, rtt_us, false);
	else
		take_round(sk, rtt_us);
	return (u16)(kcc_now_ticks() - kcc->fresh_ticks) <= 1;
}

/* Its clock has steps of an eighth of a second at most, and wraps as a whole. */
static void interval_is_kept_in_steps_of_a_tenth_of_a_second(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, 1 << KCC_TICK_SHIFT, HZ / 8);
	KUNIT_EXPECT_GE(test, 1 << KCC_TICK_SHIFT, HZ / 16);
	KUNIT_EXPECT_EQ(test, (u16)(U32_MAX >> KCC_TICK_SHIFT), U16_MAX);
}

static void interval_is_renewed_by_a_confirmation(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	KUNIT_EXPECT_TRUE(test, renews_interval(sk, UNIT_RTT_US + 100, true));
	KUNIT_EXPECT_FALSE(test, renews_interval(sk, UNIT_RTT_US + 100, false));
	KUNIT_EXPECT_FALSE(test, renews_interval(sk, UNIT_RTT_US * 2, true));
	KUNIT_EXPECT_FALSE(test, renews_interval(sk, UNIT_RTT_US - 100, false));
}

static void interval_is_not_renewed_without_proof_or_when_coupled(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	kcc_ca(sk)->proven = 0;
	KUNIT_EXPECT_FALSE(test, renews_interval(sk, UNIT_RTT_US, true));
	kcc_ca(sk)->proven = 1;
	kcc_net(sk)->probe_rtt_decouple = 0;
	KUNIT_EXPECT_FALSE(test, renews_interval(sk, UNIT_RTT_US, true));
	kcc_ca(sk)->mode = KCC_PROBE_RTT;
	KUNIT_EXPECT_TRUE(test, renews_interval(sk, UNIT_RTT_US, true));
}

/* --- queue ------------------------------------------------------------------- */

static void queue_follows_within_a_few_rounds(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	u32 i;

	kcc_ca(sk)->rounds = 3;
	take_round(sk, UNIT_RTT_US + 10000);
	KUNIT_EXPECT_GT(test, (u32)kcc_ca(sk)->queue_us, 0);
	KUNIT_EXPECT_LT(test, (u32)kcc_ca(sk)->queue_us, 10000);
	for (i = 0; i < 12; i++)
		take_round(sk, UNIT_RTT_US + 10000);
	KUNIT_EXPECT_GE(test, (u32)kcc_ca(sk)->queue_us, 9000);
	KUNIT_EXPECT_LE(test, (u32)kcc_ca(sk)->queue_us, 10000);
	for (i = 0; i < 60; i++)
		take_round(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->queue_us, 0);
}

/* What our own probe adds and takes back is no standing queue. */
static void queue_is_what_stands_in_cruise(struct kunit *test)
{
	static const enum kcc_phase phases[] = { KCC_UP, KCC_DOWN, KCC_NO_PHASE };
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(phases); i++) {
		kcc->phase = phases[i];
		kcc->rounds = 3;
		take_round(sk, UNIT_RTT_US + 10000);
		KUNIT_EXPECT_EQ(test, (u32)kcc->queue_us, 0);
	}
	kcc->phase = KCC_CRUISE;
	kcc->rounds = 0;
	take_round(sk, UNIT_RTT_US + 10000);
	KUNIT_EXPECT_EQ(test, (u32)kcc->queue_us, 0);
}

/* --- ACK aggregation --------------------------------------------------------- */

static u32 clump(struct sock *sk, u32 pkts, u32 after_us)
{
	struct rate_sample rs = model_sample(sk, UNIT_RTT_US);

	tcp_sk(sk)->tcp_mstamp += after_us;
	rs.acked_sacked = pkts;
	take_sample(sk, &rs);
	return kcc_ca(sk)->extra_acked[0];
}

static void aggregation_is_what_comes_in_excess_of_bw(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	/* 10 packets a millisecond are no more than bw */
	clump(sk, 10, 1000);
	KUNIT_EXPECT_LE(test, clump(sk, 10, 1000), 10);
	KUNIT_EXPECT_LE(test, clump(sk, 10, 1000), 10);
	/* 60 at once are 50 too many */
	KUNIT_EXPECT_GE(test, clump(sk, 60, 1000), 50);
	KUNIT_EXPECT_LE(test, kcc_ca(sk)->extra_acked[0], 60);
}

static void aggregation_is_at_most_the_window(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	tcp_sk(sk)->snd_cwnd = 50;
	KUNIT_EXPECT_EQ(test, clump(sk, 300, 1000), 50);
}

static void aggregation_survives_the_end_of_its_counter(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	u32 i;

	tcp_sk(sk)->snd_cwnd = ~0U >> 1;
	for (i = 0; i < 100; i++)
		KUNIT_ASSERT_LE(test, clump(sk, 2000, 0), U16_MAX);
	KUNIT_EXPECT_GE(test, kcc_ca(sk)->extra_acked[0], 2000);
	KUNIT_EXPECT_LE(test, clump(sk, 1 << 20, 0), U16_MAX);
}

static void aggregation_needs_a_valid_sample(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct rate_sample rs = model_sample(sk, UNIT_RTT_US);

	rs.acked_sacked = 300;
	rs.interval_us = -1;
	take_sample(sk, &rs);
	rs.interval_us = UNIT_RTT_US;
	rs.acked_sacked = 0;
	take_sample(sk, &rs);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->extra_acked[0], 0);
}

static struct kunit_case kcc_model_cases[] = {
	KUNIT_CASE(round_begins_with_a_packet_sent_in_it),
	KUNIT_CASE(round_needs_a_valid_sample),
	KUNIT_CASE(round_count_saturates),
	KUNIT_CASE(bw_is_a_maximum),
	KUNIT_CASE(bw_of_a_slow_application_counts_only_where_it_is_more),
	KUNIT_CASE(bw_of_probe_rtt_does_not_count),
	KUNIT_CASE(bw_needs_a_valid_sample),
	KUNIT_CASE(bw_counts_for_this_cycle_and_the_last),
	KUNIT_CASE(bw_is_kept_over_cycles_without_a_sample),
	KUNIT_CASE(elapsed_survives_the_wrap_of_its_stamp),
	KUNIT_CASE(rtt_is_unknown_before_the_first_sample),
	KUNIT_CASE(rtt_is_the_smaller_of_filter_and_minimum),
	KUNIT_CASE(rtt_of_mode_1_is_the_minimum),
	KUNIT_CASE(rtt_falls_with_any_shorter_round),
	KUNIT_CASE(rtt_is_not_raised_by_rounds_with_a_queue),
	KUNIT_CASE(rtt_far_below_needs_two_rounds),
	KUNIT_CASE(rtt_follows_a_path_that_drained_rounds_confirm),
	KUNIT_CASE(accepted_path_starts_anew),
	KUNIT_CASE(theta_shrinks_with_the_flow_and_has_a_floor),
	KUNIT_CASE(theta_is_a_fourth_root),
	KUNIT_CASE(window_takes_what_was_sent_in_it),
	KUNIT_CASE(window_of_an_empty_pipe_takes_one_packet),
	KUNIT_CASE(window_without_a_sample_says_nothing),
	KUNIT_CASE(window_ends_when_the_pipe_fills),
	KUNIT_CASE(window_result_waits_for_the_end_of_the_round),
	KUNIT_CASE(drain_gain_is_one_with_proof),
	KUNIT_CASE(proof_needs_a_deep_window),
	KUNIT_CASE(interval_is_kept_in_steps_of_a_tenth_of_a_second),
	KUNIT_CASE(interval_is_renewed_by_a_confirmation),
	KUNIT_CASE(interval_is_not_renewed_without_proof_or_when_coupled),
	KUNIT_CASE(queue_follows_within_a_few_rounds),
	KUNIT_CASE(queue_is_what_stands_in_cruise),
	KUNIT_CASE(aggregation_is_what_comes_in_excess_of_bw),
	KUNIT_CASE(aggregation_is_at_most_the_window),
	KUNIT_CASE(aggregation_survives_the_end_of_its_counter),
	KUNIT_CASE(aggregation_needs_a_valid_sample),
	{}
};

struct kunit_suite kcc_model_suite = {
	.name = "kcc_model",
	.test_cases = kcc_model_cases,
};

#include "kcc_noise_test.c"
