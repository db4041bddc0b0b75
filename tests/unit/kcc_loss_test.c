// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_loss: what loss means
 *
 * Every predicate alone, on both sides of its edge, and what an account does.
 * Whole cycles follow in kcc_loss_cycle_test.c.
 */
#include "kcc_unit.h"
#include "../../kcc_loss.c"

/* A flow in CRUISE that has a base of 0, well founded, and no bound yet. */
static struct sock *loss_flow(struct kunit *test)
{
	struct sock *sk = unit_sock(test);
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);

	tp->delivered = U32_MAX - UNIT_BDP;
	tp->lost = U32_MAX - 5;
	tp->packets_out = UNIT_BDP;
	tp->snd_cwnd = 2 * UNIT_BDP;
	unit_rtt(sk, UNIT_RTT_US);
	unit_init(sk);
	kcc_set_bw(kcc, UNIT_BW);
	kcc->mode = KCC_PROBE_BW;
	kcc->phase = KCC_CRUISE;
	kcc->prev_phase = KCC_DOWN;
	kcc->full_pipe = 1;
	kcc->base_weight = 100;
	kcc->phase_delivered = tp->delivered;
	kcc_open_account(sk, KCC_CRUISE);
	return sk;
}

static struct kcc_account losses(u32 lost_pkts, u32 sent_pkts)
{
	return (struct kcc_account){
		.sent_pkts = sent_pkts,
		.lost_pkts = lost_pkts,
	};
}

/* In thousandths. */
static u16 share(u32 permille)
{
	return permille * 65536 / 1000;
}

static void set_queue(struct sock *sk, u32 delay_us)
{
	kcc_ca(sk)->round_rtt_us = UNIT_RTT_US + delay_us;
	kcc_ca(sk)->queue_us = delay_us;
}

#define STANDING_US	(UNIT_RTT_US >> KCC_STANDING_SHIFT)

/* --- queue ------------------------------------------------------------------- */

static void queue_stands_above_a_quarter_of_t(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	set_queue(sk, STANDING_US);
	KUNIT_EXPECT_FALSE(test, kcc_is_queue_standing(sk));
	set_queue(sk, STANDING_US + 1);
	KUNIT_EXPECT_TRUE(test, kcc_is_queue_standing(sk));
}

static void queue_within_noise_does_not_stand(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	tcp_sk(sk)->mdev_us = 2000;
	set_queue(sk, STANDING_US + 1000);
	KUNIT_EXPECT_FALSE(test, kcc_is_queue_standing(sk));
	set_queue(sk, STANDING_US + 1001);
	KUNIT_EXPECT_TRUE(test, kcc_is_queue_standing(sk));
}

/* Until the round under way has a sample, the rounds before speak. */
static void queue_of_a_new_round_is_the_average(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	set_queue(sk, STANDING_US + 1);
	kcc_ca(sk)->round_rtt_us = ~0U;
	KUNIT_EXPECT_TRUE(test, kcc_is_queue_standing(sk));
	kcc_ca(sk)->queue_us = 0;
	KUNIT_EXPECT_FALSE(test, kcc_is_queue_standing(sk));
}

static void queue_is_never_negative(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	kcc_ca(sk)->round_rtt_us = UNIT_RTT_US / 2;
	KUNIT_EXPECT_EQ(test, kcc_delay_now_us(sk), 0);
}

/* --- sums and verdict -------------------------------------------------------- */

static void cusum_grows_by_what_exceeds_the_base(struct kunit *test)
{
	struct kcc kcc = {};

	/* 10 of 100 lost, 0.5 tolerated */
	KUNIT_EXPECT_GE(test, kcc_cusum_q4(&kcc, 0, losses(10, 100)), (9 << 4) + 8);
	KUNIT_EXPECT_LE(test, kcc_cusum_q4(&kcc, 0, losses(10, 100)), (9 << 4) + 9);
	/* base 4 %: 6.5 tolerated */
	kcc.base_q16 = share(40);
	KUNIT_EXPECT_GE(test, kcc_cusum_q4(&kcc, 0, losses(10, 100)), (3 << 4) + 8);
	KUNIT_EXPECT_LE(test, kcc_cusum_q4(&kcc, 0, losses(10, 100)), (3 << 4) + 10);
}

static void cusum_is_never_below_nothing(struct kunit *test)
{
	struct kcc kcc = { .base_q16 = share(40) };

	KUNIT_EXPECT_EQ(test, kcc_cusum_q4(&kcc, 0, losses(0, 1000)), 0);
	KUNIT_EXPECT_EQ(test, kcc_cusum_q4(&kcc, 100, losses(0, 100000)), 0);
	KUNIT_EXPECT_EQ(test, kcc_cusum_q4(&kcc, 0, losses(40, 1000)), 0);
}

/* Half a percent: 20 of 4000 are nothing, the next one counts in full. */
static void cusum_tolerates_half_a_percent(struct kunit *test)
{
	struct kcc kcc = {};

	KUNIT_EXPECT_LE(test, kcc_cusum_q4(&kcc, 0, losses(20, 4000)), 1);
	KUNIT_EXPECT_GE(test, kcc_cusum_q4(&kcc, 0, losses(21, 4000)), 1 << 4);
}

static void cusum_adds_up_over_accounts(struct kunit *test)
{
	struct kcc kcc = {};
	u32 sum_q4 = 0, i;

	/* 3 of 43 a round: too few for a test of one round */
	for (i = 0; i < 10; i++)
		sum_q4 = kcc_cusum_q4(&kcc, sum_q4, losses(3, 43));
	KUNIT_EXPECT_GE(test, sum_q4, 27 << 4);
	KUNIT_EXPECT_LE(test, sum_q4, 29 << 4);
}

static void cusum_saturates(struct kunit *test)
{
	struct kcc kcc = {};

	KUNIT_EXPECT_EQ(test, kcc_cusum_q4(&kcc, U16_MAX, losses(100, 100)), U16_MAX);
	KUNIT_EXPECT_EQ(test, kcc_cusum_q4(&kcc, 0, losses(1 << 30, 1 << 30)), U16_MAX);
}

static void threshold_grows_with_the_root_of_base_losses(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	KUNIT_EXPECT_EQ(test, kcc_verdict_q4(sk), 3 << 4);
	/* 4 losses of its own a BDP: 3 + 3 x 2 */
	kcc_ca(sk)->base_q16 = share(10);
	KUNIT_EXPECT_GE(test, kcc_verdict_q4(sk), (9 << 4) - 3);
	KUNIT_EXPECT_LE(test, kcc_verdict_q4(sk), 9 << 4);
	/* 16: 3 + 3 x 4 */
	kcc_ca(sk)->base_q16 = share(40);
	KUNIT_EXPECT_GE(test, kcc_verdict_q4(sk), (15 << 4) - 3);
	KUNIT_EXPECT_LE(test, kcc_verdict_q4(sk), 15 << 4);
}

/* The sums are 16 bits wide: the threshold must stay within their reach. */
static void threshold_is_within_reach_of_the_sums(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	/* 400 Gbit/s at 200 ms, 10 % of its own */
	kcc_set_bw(kcc_ca(sk), 33 * KCC_BW_UNIT);
	kcc_accept_path(sk, 200000);
	kcc_ca(sk)->base_q16 = share(100);
	KUNIT_EXPECT_LT(test, kcc_verdict_q4(sk), U16_MAX);
}

static void verdict_in_up_falls_on_the_sum_of_probes(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->acc_phase = KCC_UP;
	kcc->probe_sum_q4 = kcc_verdict_q4(sk);
	KUNIT_EXPECT_FALSE(test, kcc_is_verdict(sk, losses(0, 0)));
	KUNIT_EXPECT_TRUE(test, kcc_is_verdict(sk, losses(1, 1)));
	/* other phases do not look at it */
	kcc->acc_phase = KCC_CRUISE;
	KUNIT_EXPECT_FALSE(test, kcc_is_verdict(sk, losses(1, 1)));
}

static void verdict_in_any_phase_falls_on_the_sum_of_all(struct kunit *test)
{
	static const enum kcc_phase phases[] = { KCC_UP, KCC_DOWN, KCC_CRUISE };
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);
	size_t i;

	kcc->all_sum_q4 = kcc_verdict_q4(sk);
	for (i = 0; i < ARRAY_SIZE(phases); i++) {
		kcc->acc_phase = phases[i];
		KUNIT_EXPECT_FALSE(test, kcc_is_verdict(sk, losses(0, 0)));
		KUNIT_EXPECT_TRUE(test, kcc_is_verdict(sk, losses(1, 1)));
	}
}

static void verdict_needs_a_base_or_a_queue(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->base_weight = KCC_BASE_MIN_WEIGHT - 1;
	KUNIT_EXPECT_FALSE(test, kcc_is_verdict(sk, losses(100, 400)));
	set_queue(sk, STANDING_US + 1);
	KUNIT_EXPECT_TRUE(test, kcc_is_verdict(sk, losses(100, 400)));
	set_queue(sk, 0);
	kcc->base_weight = KCC_BASE_MIN_WEIGHT;
	KUNIT_EXPECT_TRUE(test, kcc_is_verdict(sk, losses(100, 400)));
}

/* --- base -------------------------------------------------------------------- */

static void base_is_the_first_account_then_the_average(struct kunit *test)
{
	struct kcc kcc = {};
	u32 i;

	kcc_feed_base(&kcc, losses(4, 100));
	KUNIT_EXPECT_EQ(test, kcc.base_q16, share(40));
	KUNIT_EXPECT_EQ(test, kcc.base_weight, 3);
	/* as many packets again, without a loss */
	kcc_feed_base(&kcc, losses(0, 96));
	KUNIT_EXPECT_GE(test, kcc.base_q16, share(20));
	KUNIT_EXPECT_LE(test, kcc.base_q16, share(21));
	for (i = 0; i < 1000; i++)
		kcc_feed_base(&kcc, losses(i % 2 ? 6 : 0, 100));
	KUNIT_EXPECT_GE(test, kcc.base_q16, share(28));
	KUNIT_EXPECT_LE(test, kcc.base_q16, share(32));
}

/* At a few packets a round the memory must not be counted in rounds. */
static void base_moves_little_for_few_packets(struct kunit *test)
{
	struct kcc kcc = { .base_q16 = share(20), .base_weight = 100 };

	kcc_feed_base(&kcc, losses(1, 2));
	KUNIT_EXPECT_GE(test, kcc.base_q16, share(20));
	KUNIT_EXPECT_LE(test, kcc.base_q16, share(21));
}

static void base_weight_saturates(struct kunit *test)
{
	struct kcc kcc = {};

	kcc_feed_base(&kcc, losses(0, 1 << 30));
	KUNIT_EXPECT_EQ(test, kcc.base_weight, U8_MAX);
	kcc_feed_base(&kcc, losses(0, 1));
	KUNIT_EXPECT_EQ(test, kcc.base_weight, U8_MAX);
}

static void base_of_nothing_is_kept(struct kunit *test)
{
	struct kcc kcc = { .base_q16 = share(20), .base_weight = 3 };

	kcc_feed_base(&kcc, losses(0, 0));
	KUNIT_EXPECT_EQ(test, kcc.base_q16, share(20));
	KUNIT_EXPECT_EQ(test, kcc.base_weight, 3);
}

static void base_saturates(struct kunit *test)
{
	struct kcc kcc = {};

	kcc_feed_base(&kcc, losses(U32_MAX, U32_MAX));
	KUNIT_EXPECT_EQ(test, kcc.base_q16, U16_MAX);
	kcc_feed_base(&kcc, losses(0, U32_MAX));
	KUNIT_EXPECT_LE(test, kcc.base_q16, share(1));
}

static void base_is_refuted_by_a_phase_that_loses_less(struct kunit *test)
{
	struct kcc kcc = { .base_q16 = share(40) };

	/* 16 expected of 400; 1 + 2 x 4 are chance */
	KUNIT_EXPECT_TRUE(test, kcc_is_base_refuted(&kcc, losses(0, 400)));
	KUNIT_EXPECT_TRUE(test, kcc_is_base_refuted(&kcc, losses(5, 400)));
	KUNIT_EXPECT_FALSE(test, kcc_is_base_refuted(&kcc, losses(8, 400)));
	KUNIT_EXPECT_FALSE(test, kcc_is_base_refuted(&kcc, losses(16, 400)));
}

static void base_is_not_refuted_by_few_packets(struct kunit *test)
{
	struct kcc kcc = { .base_q16 = share(40) };

	KUNIT_EXPECT_FALSE(test, kcc_is_base_refuted(&kcc, losses(0, 100)));
	kcc.base_q16 = 0;
	KUNIT_EXPECT_FALSE(test, kcc_is_base_refuted(&kcc, losses(0, 100000)));
}

static void base_is_fed_by_phases_that_do_not_probe(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->acc_phase = KCC_CRUISE;
	KUNIT_EXPECT_TRUE(test, kcc_may_feed_base(sk, losses(1, 100)));
	kcc->acc_phase = KCC_DOWN;
	KUNIT_EXPECT_TRUE(test, kcc_may_feed_base(sk, losses(1, 100)));
	kcc->acc_phase = KCC_UP;
	KUNIT_EXPECT_FALSE(test, kcc_may_feed_base(sk, losses(1, 100)));
}

static void base_is_not_fed_while_a_queue_stands(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	set_queue(sk, STANDING_US + 1);
	KUNIT_EXPECT_FALSE(test, kcc_may_feed_base(sk, losses(1, 100)));
}

/* What heals a base that congestion has polluted. */
static void base_that_is_refuted_is_fed_by_any_phase(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	kcc_ca(sk)->base_q16 = share(100);
	kcc_ca(sk)->acc_phase = KCC_UP;
	set_queue(sk, STANDING_US + 1);
	KUNIT_EXPECT_TRUE(test, kcc_may_feed_base(sk, losses(0, 400)));
}

/* --- bound ------------------------------------------------------------------- */

/* How much a bound grows after so many clean probes. */
static u32 growth(struct kunit *test, u32 bound_pkts, u32 clean_probes, u32 queue_us)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	set_queue(sk, queue_us);
	kcc->bound_pkts = bound_pkts;
	kcc->probe_full = 1;
	kcc->clean_probes = clean_probes;
	kcc_grow_bound(sk);
	KUNIT_EXPECT_EQ(test, (u32)kcc->clean_probes, min(clean_probes + 1, 63U));
	return kcc->bound_pkts - bound_pkts;
}

/* Growth in proportion does not converge. */
static void bound_grows_by_the_same_for_all_while_a_queue_stands(struct kunit *test)
{
	u32 probes, last = 0, step;

	for (probes = 0; probes < 64; probes++) {
		step = growth(test, 100, probes, STANDING_US + 1);
		KUNIT_EXPECT_GE(test, step, 1);
		KUNIT_EXPECT_GE(test, step, last);
		KUNIT_EXPECT_EQ(test, step, growth(test, 1000, probes, STANDING_US + 1));
		last = step;
	}
}

static void bound_growth_doubles_while_no_queue_stands(struct kunit *test)
{
	u32 first = growth(test, 640, 0, 0), second = growth(test, 640, 1, 0);

	KUNIT_EXPECT_GE(test, first, 1);
	KUNIT_EXPECT_GE(test, second, 2 * first - 2);
	KUNIT_EXPECT_GE(test, growth(test, 640, 2, 0), 2 * second - 2);
	/* in proportion, and at most by a quarter */
	KUNIT_EXPECT_GE(test, growth(test, 1280, 0, 0), 2 * first - 2);
	KUNIT_EXPECT_LE(test, growth(test, 640, 63, 0), 640 / 4 + 1);
	KUNIT_EXPECT_GT(test, growth(test, 640, 63, 0),
			growth(test, 640, 4, STANDING_US + 1));
}

static void bound_grows_only_after_a_probe_that_reached_it(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->bound_pkts = 400;
	kcc_grow_bound(sk);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, 400);
	KUNIT_EXPECT_EQ(test, (u32)kcc->clean_probes, 0);
	kcc->probe_full = 1;
	kcc_grow_bound(sk);
	KUNIT_EXPECT_GT(test, kcc->bound_pkts, 400);
}

static void bound_that_is_none_does_not_grow(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	kcc_ca(sk)->probe_full = 1;
	kcc_grow_bound(sk);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, ~0U);
}

/* Far above what the flow uses it bounds nothing. */
static void bound_far_above_the_flow_is_dropped(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->probe_full = 1;
	kcc->bound_pkts = 2 * UNIT_BDP;
	kcc_grow_bound(sk);
	KUNIT_EXPECT_NE(test, kcc->bound_pkts, ~0U);
	kcc->bound_pkts = 4 * UNIT_BDP;
	kcc_grow_bound(sk);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, ~0U);
}

/* The bound after a verdict that found so much to fit. */
static u32 cut(struct kunit *test, u32 bound_pkts, s32 fit_pkts, bool in_up, u32 queue_us)
{
	struct rate_sample rs = { .delivered = fit_pkts };
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	set_queue(sk, queue_us);
	kcc->bound_pkts = bound_pkts;
	kcc->clean_probes = 7;
	kcc->probe_sum_q4 = 1000;
	kcc->all_sum_q4 = 1000;
	kcc_cut_bound(sk, &rs, in_up);
	KUNIT_EXPECT_EQ(test, (u32)kcc->clean_probes, 0);
	KUNIT_EXPECT_EQ(test, kcc->probe_sum_q4, 0);
	KUNIT_EXPECT_EQ(test, kcc->all_sum_q4, 0);
	KUNIT_EXPECT_TRUE(test, kcc->loss_hold);
	KUNIT_EXPECT_EQ(test, kcc->next_round, tcp_sk(sk)->delivered);
	return kcc->bound_pkts;
}

static void cut_in_up_without_a_queue_is_what_fitted(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cut(test, ~0U, 420, true, 0), 420);
	KUNIT_EXPECT_EQ(test, cut(test, 500, 420, true, 0), 420);
}

static void cut_never_raises_the_bound(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cut(test, 400, 420, true, 0), 400);
	KUNIT_EXPECT_LE(test, cut(test, 10, 420, true, 0), 10);
}

static void cut_is_deeper_with_a_queue_or_outside_up(struct kunit *test)
{
	u32 deeper = kcc_fp_scale(600, KCC_CUT_GAIN);

	KUNIT_EXPECT_LT(test, deeper, 600);
	KUNIT_EXPECT_EQ(test, cut(test, ~0U, 600, true, STANDING_US), 600);
	KUNIT_EXPECT_EQ(test, cut(test, ~0U, 600, true, STANDING_US + 1), deeper);
	KUNIT_EXPECT_EQ(test, cut(test, ~0U, 600, false, 0), deeper);
	KUNIT_EXPECT_EQ(test, cut(test, ~0U, 600, false, STANDING_US + 1), deeper);
}

/* What a drain had in flight does not say what fits: the window of CRUISE does. */
static void cut_outside_up_takes_the_cruise_window_at_least(struct kunit *test)
{
	u32 cruise = kcc_fp_scale(UNIT_BDP, KCC_CRUISE_WINDOW);

	KUNIT_EXPECT_EQ(test, cut(test, ~0U, UNIT_BDP / 2, false, 0),
			kcc_fp_scale(cruise, KCC_CUT_GAIN));
	KUNIT_EXPECT_EQ(test, cut(test, ~0U, cruise, false, 0),
			kcc_fp_scale(cruise, KCC_CUT_GAIN));
	KUNIT_EXPECT_GT(test, cut(test, ~0U, cruise + 2, false, 0),
			kcc_fp_scale(cruise, KCC_CUT_GAIN));
	/* a probe measures, whatever it is */
	KUNIT_EXPECT_EQ(test, cut(test, ~0U, UNIT_BDP / 2, true, 0), UNIT_BDP / 2);
	/* and a bound that is lower already stays below */
	KUNIT_EXPECT_EQ(test, cut(test, 300, UNIT_BDP / 2, false, 0),
			kcc_fp_scale(300, KCC_CUT_GAIN));
}

/* After a timeout "what fitted" is a handful of packets. */
static void cut_has_a_floor(struct kunit *test)
{
	u32 floor = kcc_fp_scale(UNIT_BDP, KCC_CUT_FLOOR_GAIN);

	KUNIT_EXPECT_GT(test, floor, UNIT_BDP / 10);
	KUNIT_EXPECT_EQ(test, cut(test, ~0U, 5, true, 0), floor);
	KUNIT_EXPECT_EQ(test, cut(test, ~0U, -1, true, 0), floor);
	KUNIT_EXPECT_EQ(test, cut(test, ~0U, floor, true, STANDING_US + 1), floor);
	/* of the bound, where that is the smaller */
	KUNIT_EXPECT_EQ(test, cut(test, 200, 5, true, 0),
			kcc_fp_scale(200, KCC_CUT_FLOOR_GAIN));
}

static void cut_leaves_4_packets(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cut(test, 4, 1, false, STANDING_US + 1), 4);
}

/* --- attribution ------------------------------------------------------------- */

static void acked_phase_is_the_one_that_sent(struct kunit *test)
{
	struct kcc kcc = {
		.phase = KCC_DOWN,
		.prev_phase = KCC_UP,
		.acc_phase = KCC_CRUISE,
		.phase_delivered = 5,
	};
	struct rate_sample rs = { .delivered = 10, .prior_delivered = 4 };

	KUNIT_EXPECT_EQ(test, kcc_acked_phase(&kcc, &rs), KCC_UP);
	rs.prior_delivered = 5;
	KUNIT_EXPECT_EQ(test, kcc_acked_phase(&kcc, &rs), KCC_DOWN);
	/* before the counter wrapped */
	rs.prior_delivered = U32_MAX - 10;
	KUNIT_EXPECT_EQ(test, kcc_acked_phase(&kcc, &rs), KCC_UP);
}

static void acked_phase_without_a_sample_is_the_account_s(struct kunit *test)
{
	struct kcc kcc = {
		.phase = KCC_DOWN,
		.prev_phase = KCC_UP,
		.acc_phase = KCC_CRUISE,
	};
	struct rate_sample rs = { .delivered = 0 };

	KUNIT_EXPECT_EQ(test, kcc_acked_phase(&kcc, &rs), KCC_CRUISE);
	rs.delivered = -1;
	KUNIT_EXPECT_EQ(test, kcc_acked_phase(&kcc, &rs), KCC_CRUISE);
}

/* An ACK of packets sent in this phase, or in the one before; true: a verdict. */
static bool take(struct sock *sk, u32 delivered, u32 lost, bool is_prev, bool round_start)
{
	struct rate_sample rs = { .delivered = UNIT_BDP, .losses = lost };
	struct kcc_ack ack = { .rs = &rs };
	struct kcc *kcc = kcc_ca(sk);

	tcp_sk(sk)->delivered += delivered;
	tcp_sk(sk)->lost += lost;
	rs.prior_delivered = kcc->phase_delivered - is_prev;
	kcc->round_start = round_start;
	kcc_loss_update(sk, &ack);
	return ack.congested;
}

static void enter_phase(struct sock *sk, enum kcc_phase phase)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc->prev_phase = kcc->phase;
	kcc->phase = phase;
	kcc->phase_delivered = tcp_sk(sk)->delivered;
}

/* What UP lost is UP's, although the ACKs arrive in DOWN. */
static void losses_belong_to_the_phase_that_sent(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	enter_phase(sk, KCC_UP);
	take(sk, 100, 0, true, false);
	KUNIT_EXPECT_EQ(test, (u32)kcc->acc_phase, KCC_CRUISE);
	take(sk, 1, 0, false, true);
	KUNIT_EXPECT_EQ(test, (u32)kcc->acc_phase, KCC_UP);
	enter_phase(sk, KCC_DOWN);
	KUNIT_EXPECT_FALSE(test, take(sk, 100, 3, true, false));
	KUNIT_EXPECT_EQ(test, (u32)kcc->acc_phase, KCC_UP);
	KUNIT_EXPECT_EQ(test, kcc->probe_sum_q4, 0);
	take(sk, 1, 0, false, true);
	KUNIT_EXPECT_EQ(test, (u32)kcc->acc_phase, KCC_DOWN);
	KUNIT_EXPECT_GT(test, kcc->probe_sum_q4, 0);
	/* and never the path's */
	KUNIT_EXPECT_EQ(test, kcc->base_q16, 0);
}

static void losses_of_down_are_not_the_probe_s(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	enter_phase(sk, KCC_DOWN);
	take(sk, 1, 0, false, true);
	KUNIT_EXPECT_FALSE(test, take(sk, 200, 3, false, true));
	KUNIT_EXPECT_EQ(test, kcc->probe_sum_q4, 0);
	KUNIT_EXPECT_GT(test, kcc->all_sum_q4, 0);
	KUNIT_EXPECT_GT(test, kcc->base_q16, 0);
}

static void account_is_closed_only_with_enough_packets(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);
	u32 opened = kcc->acc_delivered;

	take(sk, KCC_ACCOUNT_MIN_PKTS - 1, 0, false, true);
	KUNIT_EXPECT_EQ(test, (u32)kcc->acc_delivered, opened);
	take(sk, 1, 0, false, false);
	KUNIT_EXPECT_EQ(test, (u32)kcc->acc_delivered, opened);
	take(sk, 1, 0, false, true);
	KUNIT_EXPECT_EQ(test, kcc_account(sk).sent_pkts, 0);
}

/* It keeps 24 bits of the socket's counters, which go on to 32. */
static void account_survives_the_wrap_of_its_counters(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	tcp_sk(sk)->delivered = 5 << 24 | 0xffff00;
	tcp_sk(sk)->lost = 7 << 24 | 0xfffffe;
	kcc_open_account(sk, KCC_CRUISE);
	KUNIT_EXPECT_EQ(test, kcc_account(sk).sent_pkts, 0);
	tcp_sk(sk)->delivered += 0x200;
	tcp_sk(sk)->lost += 5;
	KUNIT_EXPECT_EQ(test, kcc_account(sk).lost_pkts, 5);
	KUNIT_EXPECT_EQ(test, kcc_account(sk).sent_pkts, 0x205);
	/* the most that it tells */
	tcp_sk(sk)->delivered += 0xffffff - 0x200;
	KUNIT_EXPECT_EQ(test, kcc_account(sk).sent_pkts, 0xffffff + 5);
}

static void bound_grows_when_the_last_of_a_clean_probe_is_acked(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->bound_pkts = UNIT_BDP;
	kcc->probe_full = 1;
	kcc_open_account(sk, KCC_UP);
	kcc->phase = KCC_UP;
	enter_phase(sk, KCC_DOWN);
	take(sk, 300, 0, true, true);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, UNIT_BDP);
	take(sk, 100, 0, false, true);
	KUNIT_EXPECT_GT(test, kcc->bound_pkts, UNIT_BDP);
}

/* What was sent before a cut still arrives, and was bound to be lost. */
static void hold_after_a_cut_lasts_one_round(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);
	u32 bound_pkts;

	KUNIT_ASSERT_TRUE(test, take(sk, 300, 100, false, false));
	bound_pkts = kcc->bound_pkts;
	KUNIT_EXPECT_LT(test, bound_pkts, ~0U);
	KUNIT_EXPECT_FALSE(test, take(sk, 200, 100, false, false));
	KUNIT_EXPECT_FALSE(test, take(sk, 200, 100, false, true));
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, bound_pkts);
	KUNIT_EXPECT_FALSE(test, kcc->loss_hold);
	KUNIT_EXPECT_EQ(test, kcc->base_q16, 0);
	/* the next round counts again */
	KUNIT_EXPECT_TRUE(test, take(sk, 300, 100, false, false));
	KUNIT_EXPECT_LT(test, kcc->bound_pkts, bound_pkts);
}

static void restart_leaves_bound_and_base_alone(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->bound_pkts = 300;
	kcc->base_q16 = share(20);
	kcc->all_sum_q4 = 30;
	kcc_loss_restart(sk);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, 300);
	KUNIT_EXPECT_EQ(test, kcc->base_q16, share(20));
	KUNIT_EXPECT_EQ(test, kcc->all_sum_q4, 0);
}

static void drain_and_probe_rtt_account_nothing(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	kcc_ca(sk)->mode = KCC_DRAIN;
	KUNIT_EXPECT_FALSE(test, take(sk, 100, 300, false, true));
	kcc_ca(sk)->mode = KCC_PROBE_RTT;
	KUNIT_EXPECT_FALSE(test, take(sk, 100, 300, false, true));
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, ~0U);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->base_q16, 0);
}

static struct kunit_case kcc_loss_cases[] = {
	KUNIT_CASE(queue_stands_above_a_quarter_of_t),
	KUNIT_CASE(queue_within_noise_does_not_stand),
	KUNIT_CASE(queue_of_a_new_round_is_the_average),
	KUNIT_CASE(queue_is_never_negative),
	KUNIT_CASE(cusum_grows_by_what_exceeds_the_base),
	KUNIT_CASE(cusum_is_never_below_nothing),
	KUNIT_CASE(cusum_tolerates_half_a_percent),
	KUNIT_CASE(cusum_adds_up_over_accounts),
	KUNIT_CASE(cusum_saturates),
	KUNIT_CASE(threshold_grows_with_the_root_of_base_losses),
	KUNIT_CASE(threshold_is_within_reach_of_the_sums),
	KUNIT_CASE(verdict_in_up_falls_on_the_sum_of_probes),
	KUNIT_CASE(verdict_in_any_phase_falls_on_the_sum_of_all),
	KUNIT_CASE(verdict_needs_a_base_or_a_queue),
	KUNIT_CASE(base_is_the_first_account_then_the_average),
	KUNIT_CASE(base_moves_little_for_few_packets),
	KUNIT_CASE(base_weight_saturates),
	KUNIT_CASE(base_of_nothing_is_kept),
	KUNIT_CASE(base_saturates),
	KUNIT_CASE(base_is_refuted_by_a_phase_that_loses_less),
	KUNIT_CASE(base_is_not_refuted_by_few_packets),
	KUNIT_CASE(base_is_fed_by_phases_that_do_not_probe),
	KUNIT_CASE(base_is_not_fed_while_a_queue_stands),
	KUNIT_CASE(base_that_is_refuted_is_fed_by_any_phase),
	KUNIT_CASE(bound_grows_by_the_same_for_all_while_a_queue_stands),
	KUNIT_CASE(bound_growth_doubles_while_no_queue_stands),
	KUNIT_CASE(bound_grows_only_after_a_probe_that_reached_it),
	KUNIT_CASE(bound_that_is_none_does_not_grow),
	KUNIT_CASE(bound_far_above_the_flow_is_dropped),
	KUNIT_CASE(cut_in_up_without_a_queue_is_what_fitted),
	KUNIT_CASE(cut_never_raises_the_bound),
	KUNIT_CASE(cut_is_deeper_with_a_queue_or_outside_up),
	KUNIT_CASE(cut_outside_up_takes_the_cruise_window_at_least),
	KUNIT_CASE(cut_has_a_floor),
	KUNIT_CASE(cut_leaves_4_packets),
	KUNIT_CASE(acked_phase_is_the_one_that_sent),
	KUNIT_CASE(acked_phase_without_a_sample_is_the_account_s),
	KUNIT_CASE(losses_belong_to_the_phase_that_sent),
	KUNIT_CASE(losses_of_down_are_not_the_probe_s),
	KUNIT_CASE(account_is_closed_only_with_enough_packets),
	KUNIT_CASE(account_survives_the_wrap_of_its_counters),
	KUNIT_CASE(bound_grows_when_the_last_of_a_clean_probe_is_acked),
	KUNIT_CASE(hold_after_a_cut_lasts_one_round),
	KUNIT_CASE(restart_leaves_bound_and_base_alone),
	KUNIT_CASE(drain_and_probe_rtt_account_nothing),
	{}
};

struct kunit_suite kcc_loss_suite = {
	.name = "kcc_loss",
	.test_cases = kcc_loss_cases,
};

#include "kcc_loss_full_test.c"
#include "kcc_loss_cycle_test.c"
