// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_loss_cycle: loss over whole cycles, competition, STARTUP, and CE marks
 *
 * Included by kcc_loss_test.c.  One cycle is what the state machine makes: UP
 * and DOWN for a round each, CRUISE for six.  The ACKs of a phase arrive while
 * the next one sends.  Loss falls at random, from a seed.
 */
#include <linux/prandom.h>

#define CYCLE_CRUISE_ROUNDS	6
#define ACK_PKTS		4

/* Share of loss in thousandths, and the queue, of the phases of a cycle. */
struct cycle {
	u32	up_permille;
	u32	down_permille;
	u32	cruise_permille;
	u32	up_queue_us;
	u32	queue_us;	/* in DOWN and CRUISE */
};

static u32 lost_of(struct rnd_state *rnd, u32 pkts, u32 permille)
{
	u32 lost = 0;

	while (pkts--)
		lost += prandom_u32_state(rnd) % 1000 < permille;
	return lost;
}

/* One BDP that this phase sent is acked, a few packets at a time; returns the
 * verdicts that fell.
 */
static u32 ack_bdp(struct sock *sk, struct rnd_state *rnd, u32 permille, bool is_prev)
{
	u32 verdicts = 0, lost, i;

	for (i = 0; i < UNIT_BDP / ACK_PKTS; i++) {
		lost = lost_of(rnd, ACK_PKTS, permille);
		verdicts += take(sk, ACK_PKTS - lost, lost, is_prev, i == 0);
	}
	return verdicts;
}

/* So many cycles; returns the verdicts that fell. */
static u32 run_cycles(struct sock *sk, struct rnd_state *rnd, const struct cycle *cycle,
		      u32 cycles)
{
	u32 verdicts = 0, i;

	while (cycles--) {
		enter_phase(sk, KCC_UP);
		set_queue(sk, cycle->queue_us);
		verdicts += ack_bdp(sk, rnd, cycle->cruise_permille, true);
		kcc_ca(sk)->probe_full = 1;
		enter_phase(sk, KCC_DOWN);
		set_queue(sk, cycle->up_queue_us);
		verdicts += ack_bdp(sk, rnd, cycle->up_permille, true);
		enter_phase(sk, KCC_CRUISE);
		set_queue(sk, cycle->queue_us);
		verdicts += ack_bdp(sk, rnd, cycle->down_permille, true);
		for (i = 1; i < CYCLE_CRUISE_ROUNDS; i++)
			verdicts += ack_bdp(sk, rnd, cycle->cruise_permille, false);
	}
	return verdicts;
}

/* What STARTUP has seen of the path's own loss. */
static void seed_base(struct sock *sk, struct rnd_state *rnd, u32 permille)
{
	u32 sent = 4 * UNIT_BDP;

	kcc_ca(sk)->base_weight = 0;
	kcc_feed_base(kcc_ca(sk), losses(lost_of(rnd, sent, permille), sent));
}

/* Radio, fibre: the same share in every phase, no queue.  No reason to slow
 * down, at up to 5 %.
 */
static void random_loss_is_the_path_s(struct kunit *test)
{
	static const u32 permille[] = { 1, 5, 10, 20, 50 };
	struct cycle cycle = {};
	struct rnd_state rnd;
	struct sock *sk;
	size_t i;

	prandom_seed_state(&rnd, 3);
	for (i = 0; i < ARRAY_SIZE(permille); i++) {
		sk = loss_flow(test);
		seed_base(sk, &rnd, permille[i]);
		cycle.up_permille = permille[i];
		cycle.down_permille = permille[i];
		cycle.cruise_permille = permille[i];
		KUNIT_EXPECT_EQ_MSG(test, run_cycles(sk, &rnd, &cycle, 100), 0,
				    "%u thousandths", permille[i]);
		KUNIT_EXPECT_GE(test, kcc_ca(sk)->base_q16, share(permille[i]) * 3 / 4);
		KUNIT_EXPECT_LE(test, kcc_ca(sk)->base_q16, share(permille[i]) * 5 / 4 +
				share(1));
		KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, ~0U);
	}
}

/* A shallow buffer: only what UP asks for is lost. */
static void loss_that_follows_the_rate_is_the_bottleneck_s(struct kunit *test)
{
	struct cycle cycle = { .up_permille = 50 };
	struct sock *sk = loss_flow(test);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 4);
	KUNIT_EXPECT_GT(test, run_cycles(sk, &rnd, &cycle, 4), 0);
	/* what fitted, and no deeper: there is no queue */
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, UNIT_BDP);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->base_q16, 0);
}

/* The same on top of the path's own loss. */
static void loss_that_follows_the_rate_is_told_from_the_path_s(struct kunit *test)
{
	struct cycle cycle = {
		.up_permille = 20, .down_permille = 20, .cruise_permille = 20,
	};
	struct sock *sk = loss_flow(test);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 5);
	seed_base(sk, &rnd, 20);
	KUNIT_EXPECT_EQ(test, run_cycles(sk, &rnd, &cycle, 20), 0);
	cycle.up_permille = 120;
	KUNIT_EXPECT_GT(test, run_cycles(sk, &rnd, &cycle, 4), 0);
	KUNIT_EXPECT_LE(test, kcc_ca(sk)->base_q16, share(30));
}

/* Loss too small to show in one probe adds up over some. */
static void loss_of_many_small_probes_adds_up(struct kunit *test)
{
	struct cycle cycle = { .up_permille = 15 };
	struct sock *sk = loss_flow(test);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 6);
	KUNIT_EXPECT_GT(test, run_cycles(sk, &rnd, &cycle, 40), 0);
}

/* Many flows: our own phase does not move the loss, but a queue stands. */
static void loss_in_every_phase_with_a_queue_is_the_bottleneck_s(struct kunit *test)
{
	struct cycle cycle = {
		.up_permille = 50, .down_permille = 50, .cruise_permille = 50,
		.up_queue_us = UNIT_RTT_US / 2, .queue_us = UNIT_RTT_US / 2,
	};
	struct sock *sk = loss_flow(test);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 7);
	KUNIT_EXPECT_GT(test, run_cycles(sk, &rnd, &cycle, 2), 0);
	/* deeper than what fitted, and not taken for the path's */
	KUNIT_EXPECT_LE(test, kcc_ca(sk)->bound_pkts, kcc_fp_scale(UNIT_BDP, KCC_CUT_GAIN));
	KUNIT_EXPECT_LE(test, kcc_ca(sk)->base_q16, share(1));
}

/* However long it lasts, a window is left: the bound ends at
 * 4 packets.
 */
static void loss_for_ever_leaves_a_window(struct kunit *test)
{
	struct cycle cycle = {
		.up_permille = 300, .down_permille = 300, .cruise_permille = 300,
		.up_queue_us = UNIT_RTT_US, .queue_us = UNIT_RTT_US,
	};
	struct sock *sk = loss_flow(test);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 8);
	KUNIT_EXPECT_GT(test, run_cycles(sk, &rnd, &cycle, 50), 10);
	KUNIT_EXPECT_GE(test, kcc_ca(sk)->bound_pkts, KCC_CWND_MIN_PKTS);
}

/* A base that congestion has polluted heals once the loss is gone. */
static void base_that_is_too_high_heals(struct kunit *test)
{
	struct cycle cycle = { .up_queue_us = UNIT_RTT_US, .queue_us = UNIT_RTT_US };
	struct sock *sk = loss_flow(test);
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 9);
	kcc_ca(sk)->base_q16 = share(100);
	kcc_ca(sk)->base_weight = U8_MAX;
	run_cycles(sk, &rnd, &cycle, 40);
	KUNIT_EXPECT_LE(test, kcc_ca(sk)->base_q16, share(20));
}

/* Clean probes at the bound take it off in the end: O(log) of them where no
 * queue stands.
 */
static void bound_is_grown_away_by_clean_probes(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct cycle cycle = {};
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 10);
	kcc_ca(sk)->bound_pkts = UNIT_BDP / 4;
	run_cycles(sk, &rnd, &cycle, 30);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, ~0U);
}

/* --- competition ------------------------------------------------------------- */

/* How much the bound grows in a cycle of so many rounds of cruise, against the
 * queue of others.
 */
static u32 compete(struct kunit *test, u32 bound_pkts, u32 cruise_rounds, u32 srtt_us)
{
	struct sock *sk = loss_flow(test);

	kcc_ca(sk)->foreign = 1;
	kcc_ca(sk)->bound_pkts = bound_pkts;
	kcc_ca(sk)->probe_full = 1;
	kcc_ca(sk)->cruise_rounds = cruise_rounds;
	tcp_sk(sk)->srtt_us = srtt_us << 3;
	kcc_grow_bound(sk);
	return kcc_ca(sk)->bound_pkts - bound_pkts;
}

/* A sixteenth of the bound a second: 12 rounds of 87 ms are one. */
static void bound_competes_by_time_and_rounds(struct kunit *test)
{
	KUNIT_EXPECT_GE(test, compete(test, 800, 9, 87400), 12 / 4 + 49);
	KUNIT_EXPECT_LE(test, compete(test, 800, 9, 87400), 12 / 4 + 51);
	KUNIT_EXPECT_GE(test, compete(test, 800, 9, 43700), 12 / 4 + 24);
	KUNIT_EXPECT_LE(test, compete(test, 800, 9, 43700), 12 / 4 + 26);
	/* where the RTT is next to nothing the rounds are left */
	KUNIT_EXPECT_EQ(test, compete(test, 800, 5, 1), 2);
	KUNIT_EXPECT_EQ(test, compete(test, 800, 8, 1), 2);
	KUNIT_EXPECT_EQ(test, compete(test, 800, 9, 1), 3);
	/* a flow of a few packets gets somewhere, too */
	KUNIT_EXPECT_GE(test, compete(test, 4, 6, UNIT_RTT_US), 2);
}

static void bound_competes_within_reason(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, compete(test, 1 << 30, 15, 1 << 27), 18 / 4 + U16_MAX);
}

/* With a queue, with none, after many clean probes: it is the same. */
static void bound_competes_whatever_stands(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);
	u32 step = compete(test, 800, 6, UNIT_RTT_US);

	kcc->foreign = 1;
	kcc->bound_pkts = 800;
	kcc->probe_full = 1;
	kcc->clean_probes = 40;
	kcc->cruise_rounds = 6;
	set_queue(sk, STANDING_US + 1);
	kcc_grow_bound(sk);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, 800 + step);
	/* and nothing without a probe that reached it */
	kcc->probe_full = 0;
	kcc_grow_bound(sk);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, 800 + step);
}

/* Behind the queue of others it may lie far above the BDP and still be needed. */
static void bound_that_competes_is_not_dropped(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, compete(test, 8 * UNIT_BDP, 6, UNIT_RTT_US), UNIT_BDP);
}

/* --- STARTUP ----------------------------------------------------------------- */

static struct sock *loss_in_startup(struct kunit *test, u32 lost, u32 sent, u32 delay_us)
{
	struct sock *sk = loss_flow(test);

	kcc_ca(sk)->mode = KCC_STARTUP;
	kcc_ca(sk)->phase = KCC_NO_PHASE;
	kcc_ca(sk)->base_weight = 0;
	set_queue(sk, delay_us);
	tcp_sk(sk)->delivered += sent - lost;
	tcp_sk(sk)->lost += lost;
	return sk;
}

static bool ends_startup(struct kunit *test, u32 lost, u32 sent, u32 delay_us)
{
	struct rate_sample rs = { .losses = 1, .delivered = UNIT_BDP };
	struct kcc_ack ack = { .rs = &rs };

	return kcc_loss_ends_startup(loss_in_startup(test, lost, sent, delay_us), &ack);
}

static void startup_ends_by_loss_with_a_queue(struct kunit *test)
{
	u32 theta_us = kcc_theta_us(loss_flow(test));

	KUNIT_EXPECT_TRUE(test, ends_startup(test, 40, 400, theta_us + 1));
	KUNIT_EXPECT_FALSE(test, ends_startup(test, 40, 400, theta_us));
}

static void startup_ends_by_loss_beyond_doubt_without_a_queue(struct kunit *test)
{
	u32 beyond = (UNIT_BDP * KCC_STARTUP_SHARE_Q16 >> 16) + 1;

	KUNIT_EXPECT_TRUE(test, ends_startup(test, beyond, UNIT_BDP, 0));
	KUNIT_EXPECT_FALSE(test, ends_startup(test, beyond - 1, UNIT_BDP, 0));
}

static void startup_goes_on_over_few_losses(struct kunit *test)
{
	/* 2 %, twice the threshold of a verdict and one more */
	KUNIT_EXPECT_FALSE(test, ends_startup(test, 8, 400, UNIT_RTT_US));
	KUNIT_EXPECT_FALSE(test, ends_startup(test, 15, 400, UNIT_RTT_US));
	KUNIT_EXPECT_TRUE(test, ends_startup(test, 17, 400, UNIT_RTT_US));
	/* all of the first window but a half */
	KUNIT_EXPECT_FALSE(test, ends_startup(test, 5, 10, UNIT_RTT_US));
	KUNIT_EXPECT_FALSE(test, ends_startup(test, 0, 400, UNIT_RTT_US));
}

static void startup_goes_on_over_the_path_s_own_loss(struct kunit *test)
{
	struct rate_sample rs = { .losses = 1, .delivered = UNIT_BDP };
	struct kcc_ack ack = { .rs = &rs };
	struct sock *sk = loss_in_startup(test, 40, 400, UNIT_RTT_US);

	KUNIT_EXPECT_TRUE(test, kcc_loss_ends_startup(sk, &ack));
	kcc_ca(sk)->base_q16 = share(100);
	KUNIT_EXPECT_FALSE(test, kcc_loss_ends_startup(sk, &ack));
}

static void startup_is_judged_only_by_acks_that_report_a_loss(struct kunit *test)
{
	struct rate_sample rs = { .losses = 0, .delivered = UNIT_BDP };
	struct kcc_ack ack = { .rs = &rs };
	struct sock *sk = loss_in_startup(test, 200, 400, UNIT_RTT_US);

	KUNIT_EXPECT_FALSE(test, kcc_loss_ends_startup(sk, &ack));
	rs.losses = 1;
	KUNIT_EXPECT_TRUE(test, kcc_loss_ends_startup(sk, &ack));
}

static void startup_rounds_without_a_queue_feed_the_base(struct kunit *test)
{
	struct sock *sk = loss_in_startup(test, 20, 400, 0);

	take(sk, 0, 0, false, false);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->base_weight, 0);
	take(sk, 0, 0, false, true);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->base_q16, share(50));
	KUNIT_EXPECT_GT(test, kcc_ca(sk)->base_weight, 0);
	KUNIT_EXPECT_EQ(test, kcc_account(sk).lost_pkts, 0);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->acc_phase, KCC_NO_PHASE);
}

static void startup_rounds_with_a_queue_do_not_feed_the_base(struct kunit *test)
{
	struct sock *sk = loss_in_startup(test, 20, 400, UNIT_RTT_US / 2);

	take(sk, 0, 0, false, true);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->base_weight, 0);
	/* the round is over all the same */
	KUNIT_EXPECT_EQ(test, kcc_account(sk).lost_pkts, 0);
}

static void startup_rounds_of_much_loss_do_not_feed_the_base(struct kunit *test)
{
	struct sock *sk = loss_in_startup(test, 80, 400, 0);

	take(sk, 0, 0, false, true);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->base_weight, 0);
}

static void startup_bound_is_what_it_delivered(struct kunit *test)
{
	struct rate_sample rs = { .delivered = 2 * UNIT_BDP };
	struct kcc_ack ack = { .rs = &rs };
	struct sock *sk = loss_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->clean_probes = 7;
	kcc_loss_bound_startup(sk, &ack);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, 2 * UNIT_BDP);
	KUNIT_EXPECT_EQ(test, (u32)kcc->clean_probes, 0);
	/* at least the BDP, and never less than 4 packets */
	rs.delivered = -1;
	kcc_loss_bound_startup(sk, &ack);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, UNIT_BDP);
	kcc_set_bw(kcc, 0);
	kcc_loss_bound_startup(sk, &ack);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, KCC_CWND_MIN_PKTS);
}

/* --- CE marks ---------------------------------------------------------------- */

/* A round of one BDP ends, of which so many packets were marked; true: answered. */
static bool take_marks(struct sock *sk, u32 marked, bool round_start)
{
	struct rate_sample rs = {
		.delivered = UNIT_BDP,
		.prior_delivered = kcc_ca(sk)->phase_delivered,
		.prior_in_flight = 2 * UNIT_BDP,
	};
	struct kcc_ack ack = { .rs = &rs };

	tcp_sk(sk)->delivered_ce += marked;
	kcc_ca(sk)->round_start = round_start;
	kcc_loss_update(sk, &ack);
	return ack.congested;
}

static void marks_are_answered_with_half_their_share(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	kcc_net(sk)->ecn_enable = 1;
	KUNIT_EXPECT_TRUE(test, take_marks(sk, UNIT_BDP / 2, true));
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, UNIT_BDP * 3 / 2);
	/* below the bound it is the bound that is lowered */
	KUNIT_EXPECT_TRUE(test, take_marks(sk, UNIT_BDP / 4, true));
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, UNIT_BDP * 21 / 16);
}

/* Of an application that pauses little is in flight: the cruise window counts. */
static void marks_are_taken_off_the_cruise_window_at_least(struct kunit *test)
{
	u32 cruise = kcc_fp_scale(UNIT_BDP, KCC_CRUISE_WINDOW);
	struct rate_sample rs = { .delivered = UNIT_BDP };
	struct kcc_ack ack = { .rs = &rs };
	struct sock *sk = loss_flow(test);

	kcc_net(sk)->ecn_enable = 1;
	rs.prior_delivered = kcc_ca(sk)->phase_delivered;
	rs.prior_in_flight = UNIT_BDP / 4;
	kcc_ca(sk)->round_start = 1;
	tcp_sk(sk)->delivered_ce += UNIT_BDP / 4;
	kcc_loss_update(sk, &ack);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, cruise - cruise / 8);
	KUNIT_EXPECT_GT(test, kcc_ca(sk)->bound_pkts, UNIT_BDP);
}

static void marks_are_answered_once_a_round(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	kcc_net(sk)->ecn_enable = 1;
	KUNIT_EXPECT_FALSE(test, take_marks(sk, UNIT_BDP / 2, false));
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, ~0U);
	KUNIT_EXPECT_TRUE(test, take_marks(sk, 0, true));
	KUNIT_EXPECT_FALSE(test, take_marks(sk, 0, true));
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, UNIT_BDP * 3 / 2);
}

static void marks_are_ignored_unless_asked_for(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	KUNIT_EXPECT_FALSE(test, take_marks(sk, UNIT_BDP, true));
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, ~0U);
	/* nor are those from before it was switched on */
	kcc_net(sk)->ecn_enable = 1;
	KUNIT_EXPECT_FALSE(test, take_marks(sk, 0, true));
}

static void marks_from_before_the_connection_do_not_count(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	kcc_net(sk)->ecn_enable = 1;
	tcp_sk(sk)->delivered_ce = 1000;
	kcc_loss_init(sk);
	KUNIT_EXPECT_FALSE(test, take_marks(sk, 0, true));
}

/* The mark of the last round is 16 bits of a counter of 32. */
static void marks_survive_the_wrap_of_their_counter(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	kcc_net(sk)->ecn_enable = 1;
	tcp_sk(sk)->delivered_ce = 3 * 65536 - 10;
	kcc_loss_init(sk);
	KUNIT_EXPECT_TRUE(test, take_marks(sk, UNIT_BDP / 2, true));
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, UNIT_BDP * 3 / 2);
}

static void marks_for_ever_leave_one_bdp(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	u32 i;

	kcc_net(sk)->ecn_enable = 1;
	/* more marks than packets, as a peer could claim */
	for (i = 0; i < 50; i++)
		KUNIT_EXPECT_TRUE(test, take_marks(sk, 10 * UNIT_BDP, true));
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, UNIT_BDP);
	/* which may be next to nothing */
	kcc_set_bw(kcc_ca(sk), 1);
	for (i = 0; i < 50; i++)
		take_marks(sk, 10 * UNIT_BDP, true);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, KCC_CWND_MIN_PKTS);
}

static struct kunit_case kcc_loss_cycle_cases[] = {
	KUNIT_CASE(random_loss_is_the_path_s),
	KUNIT_CASE(loss_that_follows_the_rate_is_the_bottleneck_s),
	KUNIT_CASE(loss_that_follows_the_rate_is_told_from_the_path_s),
	KUNIT_CASE(loss_of_many_small_probes_adds_up),
	KUNIT_CASE(loss_in_every_phase_with_a_queue_is_the_bottleneck_s),
	KUNIT_CASE(loss_for_ever_leaves_a_window),
	KUNIT_CASE(base_that_is_too_high_heals),
	KUNIT_CASE(bound_is_grown_away_by_clean_probes),
	KUNIT_CASE(bound_competes_by_time_and_rounds),
	KUNIT_CASE(bound_competes_within_reason),
	KUNIT_CASE(bound_competes_whatever_stands),
	KUNIT_CASE(bound_that_competes_is_not_dropped),
	KUNIT_CASE(startup_ends_by_loss_with_a_queue),
	KUNIT_CASE(startup_ends_by_loss_beyond_doubt_without_a_queue),
	KUNIT_CASE(startup_goes_on_over_few_losses),
	KUNIT_CASE(startup_goes_on_over_the_path_s_own_loss),
	KUNIT_CASE(startup_is_judged_only_by_acks_that_report_a_loss),
	KUNIT_CASE(startup_rounds_without_a_queue_feed_the_base),
	KUNIT_CASE(startup_rounds_with_a_queue_do_not_feed_the_base),
	KUNIT_CASE(startup_rounds_of_much_loss_do_not_feed_the_base),
	KUNIT_CASE(startup_bound_is_what_it_delivered),
	KUNIT_CASE(marks_are_answered_with_half_their_share),
	KUNIT_CASE(marks_are_taken_off_the_cruise_window_at_least),
	KUNIT_CASE(marks_are_answered_once_a_round),
	KUNIT_CASE(marks_are_ignored_unless_asked_for),
	KUNIT_CASE(marks_from_before_the_connection_do_not_count),
	KUNIT_CASE(marks_survive_the_wrap_of_their_counter),
	KUNIT_CASE(marks_for_ever_leave_one_bdp),
	{}
};

struct kunit_suite kcc_loss_cycle_suite = {
	.name = "kcc_loss_cycle",
	.test_cases = kcc_loss_cycle_cases,
};
