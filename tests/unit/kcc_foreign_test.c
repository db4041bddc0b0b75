// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_foreign: a longer path, or a queue of others, and how to live with it
 *
 * Included by tcp_kcc_unit.c.
 */

/* --- PROBE_RTT: is the path longer? ------------------------------------------- */

/* Most by which two drained rounds on a path of 100 ms may differ. */
#define FLAT_US		(100000 / 64 + 500)

/* A check behind so much queue that ends two drained rounds, the second of them so
 * much longer than 100 ms, well before 200 ms are over.
 */
static struct sock *checked(struct kunit *test, u32 queue_us, u32 noise_us, u32 noisy_rounds,
			    u32 apart_us)
{
	struct sock *sk = probe_rtt_for(test, true, 0);
	struct kcc *kcc = kcc_ca(sk);

	kcc->queue_us = queue_us;
	kcc->bound_pkts = 300;
	kcc->foreign = 2;
	kcc->noisy_rounds = noisy_rounds;
	tcp_sk(sk)->mdev_us = noise_us << 1;
	kcc->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	unit_drained_round(sk, 100000);
	expect_no_arrow(test);
	unit_drained_round(sk, 100000 + apart_us);
	return sk;
}

static bool is_longer(const struct sock *sk)
{
	return kcc_model_rtt_us(sk) == 100000;
}

static void path_that_is_longer_voids_what_was_known(struct kunit *test)
{
	struct sock *sk = checked(test, 0, 0, 0, 0);

	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_PATH_CHANGE);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), 100000);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, ~0U);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->foreign);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->proven);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->queue_us, 0);
}

/* A queue that grows or shrinks on its own is none. */
static void path_that_is_longer_is_flat(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, is_longer(checked(test, 0, 0, 0, FLAT_US)));
	KUNIT_EXPECT_FALSE(test, is_longer(checked(test, 0, 0, 0, FLAT_US + 1)));
	expect_no_arrow(test);
}

static void path_that_is_longer_is_flat_but_for_jitter(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, is_longer(checked(test, 0, 3000, 4, FLAT_US + 2000)));
	expect_no_arrow(test);
	KUNIT_EXPECT_TRUE(test, is_longer(checked(test, 0, 3000, 5, FLAT_US + 2000)));
}

/* A queue shrinks when we take our share out of it; a path does not. */
static void path_that_is_longer_does_not_shrink(struct kunit *test)
{
	u32 stood_us = 60000 + kcc_kf_gate_us(UNIT_RTT_US, 0);

	KUNIT_EXPECT_TRUE(test, is_longer(checked(test, stood_us, 0, 0, 0)));
	KUNIT_EXPECT_FALSE(test, is_longer(checked(test, stood_us + 1, 0, 0, 0)));
	expect_no_arrow(test);
	/* but for jitter */
	KUNIT_EXPECT_FALSE(test, is_longer(checked(test, stood_us + 3000, 3000, 4, 0)));
	KUNIT_EXPECT_TRUE(test, is_longer(checked(test, stood_us + 3000, 3000, 5, 0)));
}

static void path_that_is_longer_needs_two_rounds_that_agree(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, 0);
	struct kcc_ack ack = {};

	KUNIT_EXPECT_FALSE(test, kcc_is_path_longer(sk, &ack));
	ack.agreed_us = 100000;
	KUNIT_EXPECT_TRUE(test, kcc_is_path_longer(sk, &ack));
}

/* What stood before the drain is what the doubt is about. */
static void check_by_doubt_takes_the_queue_of_its_round(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	kcc_ca(sk)->queue_us = 1000;
	unit_round(sk, 70000);
	unit_round(sk, 68000);
	expect_arrow(test, CRUISE, PROBE_RTT, KCC_WHY_PATH_CHECK);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->queue_us, 28000);
}

static void check_by_interval_takes_the_queue_of_cruise(struct kunit *test)
{
	struct sock *sk = cruise_unconfirmed_for(test, 2 * KCC_PROBE_RTT_TICKS);

	kcc_ca(sk)->queue_us = 1000;
	unit_round(sk, 50000);
	expect_arrow(test, CRUISE, PROBE_RTT, KCC_WHY_INTERVAL);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->queue_us, 1000);
}

/* --- PROBE_RTT: the delay is not ours ----------------------------------------- */

/* Two drained rounds agree on this RTT, so long after the check began, and it is
 * less than what stood before.
 */
static struct sock *check_fails(struct kunit *test, u32 rtt_us, u32 elapsed_us)
{
	struct sock *sk = probe_rtt_for(test, true, 0);
	struct kcc *kcc = kcc_ca(sk);

	kcc->queue_us = 2 * rtt_us;
	kcc->phase_stamp_us = tcp_sk(sk)->tcp_mstamp + 2 * UNIT_RTT_US - elapsed_us;
	unit_drained_round(sk, rtt_us);
	expect_no_arrow(test);
	unit_drained_round(sk, rtt_us);
	return sk;
}

/* Flows with longer RTTs drain later. */
static void check_fails_after_200_ms(struct kunit *test)
{
	check_fails(test, 60000, 200 * USEC_PER_MSEC - 1);
	expect_no_arrow(test);
	check_fails(test, 60000, 200 * USEC_PER_MSEC);
	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_NOT_OURS);
}

static void check_that_fails_leaves_t_and_bound(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, 0);
	struct kcc *kcc = kcc_ca(sk);

	kcc->bound_pkts = 1000;
	kcc->queue_us = 3 * UNIT_RTT_US;
	kcc->fresh_ticks -= SECOND_TICKS;
	kcc->phase_stamp_us = tcp_sk(sk)->tcp_mstamp - 200 * USEC_PER_MSEC;
	unit_drained_round(sk, 60000);
	unit_drained_round(sk, 60000);
	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_NOT_OURS);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, 1000);
	KUNIT_EXPECT_GE(test, tcp_snd_cwnd(tcp_sk(sk)), UNIT_BDP);
	expect_fresh(test, sk);
	expect_bw_kept(test, sk);
}

/* Once may be the STARTUP of another flow of KCC. */
static void check_that_fails_once_is_a_suspicion(struct kunit *test)
{
	struct sock *sk = check_fails(test, 60000, USEC_PER_SEC);

	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->suspect);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->foreign);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_open);
}

static void check_that_leaves_a_bdp_is_beyond_doubt(struct kunit *test)
{
	struct sock *sk = check_fails(test, 2 * UNIT_RTT_US, USEC_PER_SEC);

	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->foreign);
	sk = check_fails(test, 2 * UNIT_RTT_US + 1, USEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->foreign, KCC_FOREIGN_CHECKS);
	/* there is no use in a window */
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_open);
}

/* The last check of a flow, which left this RTT, with so much noise. */
static void note(struct sock *sk, u32 rtt_us, u32 noise_us)
{
	struct kcc_ack ack = { .noise_us = noise_us };

	kcc_ca(sk)->disagreed_us = rtt_us;
	kcc_note_foreign(sk, &ack);
}

static void foreign_is_a_queue_that_two_checks_left(struct kunit *test)
{
	struct sock *sk = unit_flow(test, PROBE_RTT);
	struct kcc *kcc = kcc_ca(sk);

	note(sk, 50000, 0);
	KUNIT_EXPECT_FALSE(test, kcc->foreign);
	KUNIT_EXPECT_TRUE(test, kcc->suspect);
	note(sk, 50000, 0);
	KUNIT_EXPECT_EQ(test, (u32)kcc->foreign, KCC_FOREIGN_CHECKS);
}

static void foreign_is_a_queue_above_an_eighth_of_t_and_noise(struct kunit *test)
{
	u32 far_us = UNIT_RTT_US * 9 / 8;
	struct sock *sk = unit_flow(test, PROBE_RTT);
	struct kcc *kcc = kcc_ca(sk);

	kcc->suspect = 1;
	note(sk, 0, 0);
	note(sk, far_us, 0);
	note(sk, far_us + 3000, 3000);
	KUNIT_EXPECT_FALSE(test, kcc->foreign);
	note(sk, far_us + 3001, 3000);
	KUNIT_EXPECT_TRUE(test, kcc->foreign);
	kcc->foreign = 0;
	kcc->suspect = 0;
	note(sk, far_us, 0);
	KUNIT_EXPECT_FALSE(test, kcc->suspect);
	note(sk, far_us + 1, 0);
	KUNIT_EXPECT_TRUE(test, kcc->suspect);
}

static void foreign_is_what_a_check_that_times_out_has_left(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, KCC_PROBE_RTT_ROUNDS - 2);

	kcc_ca(sk)->suspect = 1;
	unit_drained_round(sk, 60000);
	expect_no_arrow(test);
	unit_round(sk, 60000);
	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_TIMEOUT);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->foreign, KCC_FOREIGN_CHECKS);
}

/* Nothing was drained in it, so it says nothing. */
static void foreign_is_not_told_by_a_check_without_a_drained_round(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, KCC_PROBE_RTT_ROUNDS - 1);

	kcc_ca(sk)->suspect = 1;
	unit_round(sk, 3 * UNIT_RTT_US);
	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_TIMEOUT);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->foreign);
}

/* What a check finds that confirms T. */
static void confirm(struct sock *sk)
{
	kcc_ca(sk)->mode = KCC_PROBE_RTT;
	kcc_ca(sk)->phase = KCC_NO_PHASE;
	tcp_sk(sk)->packets_out = UNIT_BDP / 2;
	unit_drained_round(sk, UNIT_RTT_US);
}

/* CUBIC empties its queue every few seconds, and is still there. */
static void foreign_ends_with_three_checks_that_find_no_queue(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, 0);
	struct kcc *kcc = kcc_ca(sk);
	u32 left;

	KUNIT_EXPECT_EQ(test, KCC_FOREIGN_CHECKS, 3);
	kcc->foreign = KCC_FOREIGN_CHECKS;
	kcc->suspect = 1;
	for (left = KCC_FOREIGN_CHECKS; left > 0; left--) {
		KUNIT_EXPECT_EQ(test, (u32)kcc->foreign, left);
		confirm(sk);
		expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_CONFIRMED);
		KUNIT_EXPECT_FALSE(test, kcc->suspect);
		KUNIT_EXPECT_EQ(test, !!kcc->window_open, left == 1);
	}
	KUNIT_EXPECT_FALSE(test, kcc->foreign);
	confirm(sk);
	KUNIT_EXPECT_FALSE(test, kcc->foreign);
}

static void foreign_is_counted_anew_by_two_checks_that_find_one(struct kunit *test)
{
	struct sock *sk = unit_flow(test, PROBE_RTT);
	struct kcc *kcc = kcc_ca(sk);

	kcc->foreign = KCC_FOREIGN_CHECKS;
	kcc->suspect = 1;
	confirm(sk);
	note(sk, 50000, 0);
	KUNIT_EXPECT_EQ(test, (u32)kcc->foreign, KCC_FOREIGN_CHECKS - 1);
	note(sk, 50000, 0);
	KUNIT_EXPECT_EQ(test, (u32)kcc->foreign, KCC_FOREIGN_CHECKS);
}

/* Rates under jitter come and go: those of one round are no reason to slow down. */
static void check_confirmed_in_jitter_keeps_bw(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, 0);

	kcc_ca(sk)->noisy = 1;
	unit_drained_round(sk, UNIT_RTT_US);
	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_CONFIRMED);
	expect_bw_kept(test, sk);
}

/* --- checks by the wall clock -------------------------------------------------- */

/* For one smoothed RTT, so that a round of each flow begins in it. */
static void slots_begin_every_6_s(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	u32 srtt_us = tcp_sk(sk)->srtt_us >> 3;
	u64 at_us;
	u32 i;

	KUNIT_ASSERT_GT(test, srtt_us, 0);
	for (i = 0; i < 4; i++) {
		at_us = i * 6ULL * USEC_PER_SEC;
		unit_wall_clock(at_us);
		KUNIT_EXPECT_TRUE(test, kcc_is_slot_begun(sk, KCC_CHECK_SLOT_US));
		unit_wall_clock(at_us + srtt_us);
		KUNIT_EXPECT_TRUE(test, kcc_is_slot_begun(sk, KCC_CHECK_SLOT_US));
		unit_wall_clock(at_us + srtt_us + 1);
		KUNIT_EXPECT_FALSE(test, kcc_is_slot_begun(sk, KCC_CHECK_SLOT_US));
		unit_wall_clock(at_us + 6 * USEC_PER_SEC - 1);
		KUNIT_EXPECT_FALSE(test, kcc_is_slot_begun(sk, KCC_CHECK_SLOT_US));
	}
}

/* Whatever the RTT, and once in each slot. */
static void check_of_a_foreign_queue_waits_for_the_next_slot(struct kunit *test)
{
	static const enum unit_state from[] = { UP, DOWN, CRUISE };
	struct sock *sk;
	struct kcc *kcc;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(from); i++) {
		unit_arrow_count = 0;
		sk = unit_flow(test, from[i]);
		kcc = kcc_ca(sk);
		kcc->foreign = 1;
		kcc->doubted = 1;
		kcc->queue_us = 1234;
		unit_wall_clock(5 * USEC_PER_SEC);
		unit_ack(sk, 3 * UNIT_RTT_US);
		expect_no_arrow(test);
		unit_wall_clock(6 * USEC_PER_SEC);
		/* not in the middle of a round */
		unit_ack(sk, 3 * UNIT_RTT_US);
		expect_no_arrow(test);
		unit_round(sk, UNIT_RTT_US);
		expect_arrow(test, from[i], PROBE_RTT, KCC_WHY_PATH_CHECK);
		/* there is no queue in that round, so the average stays */
		KUNIT_EXPECT_EQ(test, (u32)kcc->queue_us, 1234);
		kcc_leave_probe_rtt(sk, KCC_WHY_NOT_OURS);
		unit_wall_clock(11 * USEC_PER_SEC);
		unit_round(sk, 3 * UNIT_RTT_US);
		unit_round(sk, 3 * UNIT_RTT_US);
		unit_round(sk, 3 * UNIT_RTT_US);
		expect_state(test, sk, CRUISE);
		unit_wall_clock(12 * USEC_PER_SEC);
		unit_round(sk, 3 * UNIT_RTT_US);
		expect_state(test, sk, PROBE_RTT);
	}
}

static void check_by_slot_needs_a_round_with_a_sample(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	kcc_ca(sk)->foreign = 1;
	unit_wall_clock(6 * USEC_PER_SEC);
	unit_round(sk, ~0U);
	expect_no_arrow(test);
	unit_round(sk, UNIT_RTT_US);
	expect_arrow(test, CRUISE, PROBE_RTT, KCC_WHY_PATH_CHECK);
}

static void check_by_slot_is_for_a_foreign_queue_only(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	kcc_ca(sk)->suspect = 1;
	unit_wall_clock(6 * USEC_PER_SEC);
	unit_round(sk, UNIT_RTT_US);
	unit_round(sk, UNIT_RTT_US * 14 / 10);
	expect_no_arrow(test);
}

/* --- the cycle behind a foreign queue ------------------------------------------ */

/* Where the delay is somebody else's it cannot say stop: the clock does. */
static void up_with_a_foreign_queue_ends_after_one_round(struct kunit *test)
{
	struct sock *sk = up_for(test, UNIT_RTT_US, 0, 2 * UNIT_BDP);

	kcc_ca(sk)->foreign = 1;
	up_smoothed(sk, 2 * UNIT_RTT_US);
	expect_no_arrow(test);
	unit_round(sk, 2 * UNIT_RTT_US);
	expect_arrow(test, UP, DOWN, KCC_WHY_TARGET);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->probe_full);
	/* the same without one ends for its delay, or goes on */
	sk = up_for(test, UNIT_RTT_US, 0, 2 * UNIT_BDP);
	up_smoothed(sk, 2 * UNIT_RTT_US);
	expect_arrow(test, UP, DOWN, KCC_WHY_DELAY);
	sk = up_for(test, UNIT_RTT_US, 0, 2 * UNIT_BDP);
	unit_round(sk, UNIT_RTT_US);
	expect_no_arrow(test);
}

static void up_with_a_foreign_queue_lasts_one_rtt_at_least(struct kunit *test)
{
	struct sock *sk = up_for(test, UNIT_RTT_US - 1, 1, 2 * UNIT_BDP);

	kcc_ca(sk)->foreign = 1;
	unit_ack(sk, 2 * UNIT_RTT_US);
	expect_no_arrow(test);
}

static void up_with_a_foreign_queue_says_that_it_reached_the_bound(struct kunit *test)
{
	struct sock *sk = up_for(test, UNIT_RTT_US, 1, 2 * UNIT_BDP);

	kcc_ca(sk)->foreign = 1;
	kcc_ca(sk)->bound_pkts = 2 * UNIT_BDP;
	unit_ack(sk, 2 * UNIT_RTT_US);
	expect_arrow(test, UP, DOWN, KCC_WHY_TARGET);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->probe_full);
}

/* It takes back what UP queued; the rest is not ours to drain. */
static void down_with_a_foreign_queue_ends_after_one_round(struct kunit *test)
{
	struct sock *sk = unit_flow(test, DOWN);

	kcc_ca(sk)->foreign = 1;
	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	/* drained, and the longest stay is over: neither counts */
	unit_clock(sk, KCC_DRAIN_TIMEOUT_RTTS * UNIT_RTT_US);
	unit_ack(sk, 2 * UNIT_RTT_US);
	expect_no_arrow(test);
	tcp_sk(sk)->packets_out = 3 * UNIT_BDP;
	unit_round(sk, 2 * UNIT_RTT_US);
	expect_arrow(test, DOWN, CRUISE, KCC_WHY_NOT_OURS);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_open);
}

/* What STARTUP queued is ours, whoever else is there. */
static void drain_with_a_foreign_queue_drains(struct kunit *test)
{
	struct sock *sk = unit_flow(test, DRAIN);

	kcc_ca(sk)->foreign = 1;
	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	tcp_sk(sk)->packets_out = 2 * UNIT_BDP;
	unit_round(sk, 2 * UNIT_RTT_US);
	expect_no_arrow(test);
	tcp_sk(sk)->packets_out = UNIT_BDP / 2;
	unit_ack(sk, 2 * UNIT_RTT_US);
	expect_arrow(test, DRAIN, CRUISE, KCC_WHY_DRAINED);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_open);
}

static void idle_with_a_foreign_queue_measures_nothing(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	kcc_ca(sk)->foreign = 1;
	tcp_sk(sk)->packets_out = 0;
	tcp_sk(sk)->app_limited = 1;
	kcc_idle_restart(sk);
	expect_arrow(test, CRUISE, CRUISE, KCC_WHY_IDLE);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_open);
}

/* --- gains and window ----------------------------------------------------------- */

static void gains_with_a_foreign_queue_widen_the_window(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	kcc_ca(sk)->foreign = 1;
	kcc_ca(sk)->queue_us = UNIT_RTT_US;
	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_UNIT, KCC_FOREIGN_WINDOW);
	sk = unit_flow(test, UP);
	kcc_ca(sk)->foreign = 1;
	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_UP_GAIN, KCC_FOREIGN_WINDOW);
	sk = unit_flow(test, DOWN);
	kcc_ca(sk)->foreign = 1;
	tcp_sk(sk)->packets_out = UNIT_BDP + 1;
	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_DOWN_GAIN, KCC_FOREIGN_WINDOW);
	tcp_sk(sk)->packets_out = UNIT_BDP;
	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_HOLD_GAIN, KCC_FOREIGN_WINDOW);
	KUNIT_EXPECT_GT(test, KCC_FOREIGN_WINDOW, KCC_CRUISE_WINDOW);
}

/* The window of a flow whose smoothed RTT is this one. */
static u32 cwnd_behind(struct sock *sk, u32 srtt_us)
{
	tcp_sk(sk)->srtt_us = srtt_us << 3;
	return cwnd_after_ack(sk, 10 * UNIT_BDP);
}

/* A rate needs the whole RTT in flight, and a quarter more to grow. */
static void cwnd_behind_a_foreign_queue_covers_it(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	KUNIT_EXPECT_EQ(test, cwnd_behind(sk, 100000), window_of(sk, KCC_CRUISE_WINDOW));
	kcc_ca(sk)->foreign = 1;
	/* 1.25 x 100 ms are 1250 packets */
	KUNIT_EXPECT_EQ(test, cwnd_behind(sk, 100000), window_of(sk, KCC_UNIT * 1250 / UNIT_BDP));
	/* 1.25 x 64 ms are two BDP, which it has anyway */
	KUNIT_EXPECT_EQ(test, cwnd_behind(sk, 64000), window_of(sk, KCC_FOREIGN_WINDOW));
	KUNIT_EXPECT_EQ(test, cwnd_behind(sk, UNIT_RTT_US), window_of(sk, KCC_FOREIGN_WINDOW));
	KUNIT_EXPECT_GT(test, cwnd_behind(sk, 66000), window_of(sk, KCC_FOREIGN_WINDOW));
	/* the bound comes last */
	kcc_ca(sk)->bound_pkts = UNIT_BDP;
	KUNIT_EXPECT_LE(test, cwnd_behind(sk, 100000), UNIT_BDP);
}

static void cwnd_of_a_check_does_not_cover_a_foreign_queue(struct kunit *test)
{
	struct sock *sk = unit_flow(test, PROBE_RTT);

	kcc_ca(sk)->foreign = 1;
	KUNIT_EXPECT_EQ(test, cwnd_behind(sk, 100000), UNIT_BDP / 2);
}

static struct kunit_case kcc_foreign_cases[] = {
	KUNIT_CASE(path_that_is_longer_voids_what_was_known),
	KUNIT_CASE(path_that_is_longer_is_flat),
	KUNIT_CASE(path_that_is_longer_is_flat_but_for_jitter),
	KUNIT_CASE(path_that_is_longer_does_not_shrink),
	KUNIT_CASE(path_that_is_longer_needs_two_rounds_that_agree),
	KUNIT_CASE(check_by_doubt_takes_the_queue_of_its_round),
	KUNIT_CASE(check_by_interval_takes_the_queue_of_cruise),
	KUNIT_CASE(check_fails_after_200_ms),
	KUNIT_CASE(check_that_fails_leaves_t_and_bound),
	KUNIT_CASE(check_that_fails_once_is_a_suspicion),
	KUNIT_CASE(check_that_leaves_a_bdp_is_beyond_doubt),
	KUNIT_CASE(foreign_is_a_queue_that_two_checks_left),
	KUNIT_CASE(foreign_is_a_queue_above_an_eighth_of_t_and_noise),
	KUNIT_CASE(foreign_is_what_a_check_that_times_out_has_left),
	KUNIT_CASE(foreign_is_not_told_by_a_check_without_a_drained_round),
	KUNIT_CASE(foreign_ends_with_three_checks_that_find_no_queue),
	KUNIT_CASE(foreign_is_counted_anew_by_two_checks_that_find_one),
	KUNIT_CASE(check_confirmed_in_jitter_keeps_bw),
	KUNIT_CASE(slots_begin_every_6_s),
	KUNIT_CASE(check_of_a_foreign_queue_waits_for_the_next_slot),
	KUNIT_CASE(check_by_slot_needs_a_round_with_a_sample),
	KUNIT_CASE(check_by_slot_is_for_a_foreign_queue_only),
	KUNIT_CASE(up_with_a_foreign_queue_ends_after_one_round),
	KUNIT_CASE(up_with_a_foreign_queue_lasts_one_rtt_at_least),
	KUNIT_CASE(up_with_a_foreign_queue_says_that_it_reached_the_bound),
	KUNIT_CASE(down_with_a_foreign_queue_ends_after_one_round),
	KUNIT_CASE(drain_with_a_foreign_queue_drains),
	KUNIT_CASE(idle_with_a_foreign_queue_measures_nothing),
	KUNIT_CASE(gains_with_a_foreign_queue_widen_the_window),
	KUNIT_CASE(cwnd_behind_a_foreign_queue_covers_it),
	KUNIT_CASE(cwnd_of_a_check_does_not_cover_a_foreign_queue),
	{}
};

struct kunit_suite kcc_foreign_suite = {
	.name = "kcc_foreign",
	.suite_init = unit_trace_begin,
	.suite_exit = unit_trace_end,
	.init = unit_case_init,
	.exit = unit_case_exit,
	.test_cases = kcc_foreign_cases,
};
