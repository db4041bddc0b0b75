// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_state: PROBE_BW, every way from phase to phase
 *
 * Included by tcp_kcc_unit.c.
 */

/* --- CRUISE ----------------------------------------------------------------- */

static void cruise_goes_up_after_its_rounds(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	struct kcc *kcc = kcc_ca(sk);
	u32 i;

	kcc->doubted = 1;
	kcc->exit_verify = 1;
	kcc->probe_full = 1;
	for (i = 1; i < kcc->cruise_rounds; i++)
		unit_round(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	unit_round(sk, UNIT_RTT_US);
	expect_arrow(test, CRUISE, UP, KCC_WHY_CYCLE);
	KUNIT_EXPECT_EQ(test, kcc->ref_bw, UNIT_BW);
	KUNIT_EXPECT_FALSE(test, kcc->doubted);
	KUNIT_EXPECT_FALSE(test, kcc->exit_verify);
	KUNIT_EXPECT_FALSE(test, kcc->probe_full);
	/* a new cycle of the maximum filter */
	KUNIT_EXPECT_EQ(test, kcc->bw_max[0], 0);
	KUNIT_EXPECT_EQ(test, kcc->bw_max[1], UNIT_BW);
}

/* The longest delay of late is that of about two cycles. */
static void cruise_forgets_a_quarter_of_the_longest_delay(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	struct kcc *kcc = kcc_ca(sk);

	kcc->delay_max_q = 1000;
	kcc->rounds = kcc->cruise_rounds - 1;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, kcc->delay_max_q, 1000);
	unit_round(sk, UNIT_RTT_US);
	expect_arrow(test, CRUISE, UP, KCC_WHY_CYCLE);
	KUNIT_EXPECT_EQ(test, kcc->delay_max_q, 750);
	kcc->delay_max_q = U16_MAX;
	kcc_enter_up(sk);
	KUNIT_EXPECT_EQ(test, kcc->delay_max_q, U16_MAX - U16_MAX / 4);
}

static void cruise_waits_for_its_drained_window(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	struct kcc *kcc = kcc_ca(sk);

	kcc->rounds = kcc->cruise_rounds;
	kcc->window_open = 1;
	kcc->drained_end = tcp_sk(sk)->delivered + 2 * UNIT_BDP;
	kcc->drained_rtt_us = ~0U;
	unit_ack(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	kcc->window_open = 0;
	unit_ack(sk, UNIT_RTT_US);
	expect_arrow(test, CRUISE, UP, KCC_WHY_CYCLE);
}

/* Flows that share a bottleneck must not probe in step. */
static void cruise_length_is_spread(struct kunit *test)
{
	struct sock *sk = unit_flow(test, DRAIN);
	u32 i, rounds, seen = 0;

	for (i = 0; i < 400; i++) {
		kcc_enter_cruise(sk, KCC_WHY_DRAINED);
		rounds = kcc_ca(sk)->cruise_rounds;
		KUNIT_ASSERT_GE(test, rounds, KCC_CRUISE_ROUNDS);
		KUNIT_ASSERT_LT(test, rounds, KCC_CRUISE_ROUNDS + KCC_CRUISE_SPREAD);
		seen |= BIT(rounds);
	}
	/* rounds are counted in 4 bits */
	KUNIT_EXPECT_LT(test, KCC_CRUISE_ROUNDS + KCC_CRUISE_SPREAD, 15);
	KUNIT_EXPECT_EQ(test, hweight32(seen), KCC_CRUISE_SPREAD);
}

/* A cruise whose round ends with a queue and less than was paced. */
static struct sock *saturated(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	struct kcc *kcc = kcc_ca(sk);

	/* what was paced in this round is known, and no probe is near */
	kcc->pacing_gain = KCC_UNIT;
	kcc->rounds = 3;
	kcc->round_rtt_us = UNIT_RTT_US + UNIT_RTT_US / 4;
	return sk;
}

static void saturated_round_end(struct sock *sk, u32 delivered_pkts, bool is_app_limited)
{
	struct rate_sample rs = unit_next_round(sk, UNIT_RTT_US);

	rs.delivered = delivered_pkts;
	rs.is_app_limited = is_app_limited;
	unit_take(sk, &rs);
}

static void cruise_saturated_round_sets_bw_to_what_came_out(struct kunit *test)
{
	struct sock *sk = saturated(test);
	u32 pkts = UNIT_BDP * 9 / 10;

	saturated_round_end(sk, pkts, false);
	KUNIT_EXPECT_EQ(test, kcc_bw(kcc_ca(sk)), kcc_fp_bw(pkts, UNIT_RTT_US));
	expect_no_arrow(test);
}

static void cruise_saturated_round_lowers_bw_by_a_fifth_at_most(struct kunit *test)
{
	struct sock *sk = saturated(test);

	saturated_round_end(sk, UNIT_BDP / 10, false);
	KUNIT_EXPECT_EQ(test, kcc_bw(kcc_ca(sk)),
			kcc_fp_scale(UNIT_BW, KCC_SATURATED_FLOOR));
}

static void expect_bw_kept(struct kunit *test, const struct sock *sk)
{
	KUNIT_EXPECT_EQ(test, kcc_bw(kcc_ca(sk)), UNIT_BW);
}

static void cruise_round_with_a_foreign_queue_is_not_saturated(struct kunit *test)
{
	struct sock *sk = saturated(test);

	kcc_ca(sk)->foreign = 1;
	saturated_round_end(sk, UNIT_BDP * 9 / 10, false);
	expect_bw_kept(test, sk);
}

static void cruise_round_of_a_slow_application_is_not_saturated(struct kunit *test)
{
	struct sock *sk = saturated(test);

	saturated_round_end(sk, UNIT_BDP * 9 / 10, true);
	expect_bw_kept(test, sk);
}

static void cruise_round_that_delivered_its_pace_is_not_saturated(struct kunit *test)
{
	struct sock *sk = saturated(test);

	saturated_round_end(sk, UNIT_BDP * 99 / 100, false);
	expect_bw_kept(test, sk);
}

static void cruise_round_without_a_queue_is_not_saturated(struct kunit *test)
{
	struct sock *sk = saturated(test);

	kcc_ca(sk)->round_rtt_us = UNIT_RTT_US + kcc_theta_us(sk);
	saturated_round_end(sk, UNIT_BDP * 9 / 10, false);
	expect_bw_kept(test, sk);
}

static void cruise_round_of_jitter_is_not_saturated(struct kunit *test)
{
	struct sock *sk = saturated(test);

	/* the smoothed RTT lies far above the smallest, if not so far as that */
	kcc_ca(sk)->round_rtt_us = UNIT_RTT_US * 145 / 100;
	tcp_sk(sk)->srtt_us = (UNIT_RTT_US * 160 / 100) << 3;
	saturated_round_end(sk, UNIT_BDP * 9 / 10, false);
	expect_bw_kept(test, sk);
}

/* So much is no queue of ours: the path may have changed. */
static void cruise_round_far_above_t_is_not_saturated(struct kunit *test)
{
	struct sock *sk = saturated(test);

	kcc_ca(sk)->round_rtt_us = 2 * UNIT_RTT_US;
	saturated_round_end(sk, UNIT_BDP * 9 / 10, false);
	expect_bw_kept(test, sk);
}

/* It still has DOWN's rate and UP's queue. */
static void cruise_does_not_saturate_in_its_first_round(struct kunit *test)
{
	struct sock *sk = saturated(test);

	kcc_ca(sk)->rounds = 0;
	saturated_round_end(sk, UNIT_BDP * 9 / 10, false);
	expect_bw_kept(test, sk);
}

static void cruise_saturates_only_at_the_end_of_a_round(struct kunit *test)
{
	struct sock *sk = saturated(test);
	struct rate_sample rs = unit_sample(sk, UNIT_RTT_US * 5 / 4);

	rs.delivered = UNIT_BDP * 9 / 10;
	unit_take(sk, &rs);
	expect_bw_kept(test, sk);
}

/* An application that leaves the pipe half empty gives a drained window. */
static void cruise_takes_the_window_of_a_slow_application(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	tcp_sk(sk)->packets_out = UNIT_BDP / 4;
	saturated_round_end(sk, UNIT_BDP / 4, true);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_open);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_deep);
	expect_no_arrow(test);
}

static void cruise_takes_no_window_from_a_full_pipe(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	tcp_sk(sk)->packets_out = UNIT_BDP;
	saturated_round_end(sk, UNIT_BDP, true);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_open);
	tcp_sk(sk)->packets_out = UNIT_BDP / 4;
	saturated_round_end(sk, UNIT_BDP / 4, false);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_open);
}

/* --- UP -> DOWN ------------------------------------------------------------- */

/* A probe that has lasted so long and so many rounds, with so much in flight. */
static struct sock *up_for(struct kunit *test, u32 elapsed_us, u32 rounds,
			   u32 inflight_pkts)
{
	struct sock *sk = unit_flow(test, UP);

	unit_arrow_count = 0;
	kcc_ca(sk)->rounds = rounds;
	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	unit_clock(sk, elapsed_us);
	tcp_sk(sk)->packets_out = inflight_pkts;
	return sk;
}

#define UP_TARGET	(UNIT_BDP * KCC_UP_GAIN / KCC_UNIT)

static void up_lasts_one_rtt_at_least(struct kunit *test)
{
	struct sock *sk = up_for(test, UNIT_RTT_US - 1, KCC_UP_ROUNDS, 2 * UP_TARGET);

	unit_acks(sk, 2 * UNIT_RTT_US);
	expect_no_arrow(test);
}

static void up_that_reaches_the_bound_says_so(struct kunit *test)
{
	struct sock *sk = up_for(test, UNIT_RTT_US, 1, UNIT_BDP);
	u32 burst_pkts;

	/* one burst before it counts: the window lets no more out */
	burst_pkts = kcc_tso_segs_goal(sk, UNIT_MSS);
	kcc_ca(sk)->bound_pkts = UNIT_BDP + burst_pkts + 1;
	unit_ack(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	burst_pkts = kcc_tso_segs_goal(sk, UNIT_MSS);
	kcc_ca(sk)->bound_pkts = UNIT_BDP + burst_pkts;
	unit_ack(sk, UNIT_RTT_US);
	expect_arrow(test, UP, DOWN, KCC_WHY_TARGET);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->probe_full);
}

/* A verdict is due with the next loss. */
static void up_lose(struct sock *sk)
{
	struct rate_sample rs = unit_sample(sk, UNIT_RTT_US);

	kcc_ca(sk)->acc_delivered = tcp_sk(sk)->delivered;
	kcc_ca(sk)->acc_lost = tcp_sk(sk)->lost;
	rs.prior_delivered = kcc_ca(sk)->phase_delivered;
	rs.losses = 1;
	unit_take(sk, &rs);
}

static void up_ends_on_a_verdict_at_once(struct kunit *test)
{
	struct sock *sk = up_for(test, 0, 0, UNIT_BDP);

	kcc_ca(sk)->probe_sum_q4 = U16_MAX;
	up_lose(sk);
	expect_arrow(test, UP, DOWN, KCC_WHY_LOSS);
	KUNIT_EXPECT_NE(test, kcc_ca(sk)->bound_pkts, ~0U);
}

static void up_goes_on_over_a_loss_without_a_verdict(struct kunit *test)
{
	struct sock *sk = up_for(test, UNIT_RTT_US, 1, UNIT_BDP);

	up_lose(sk);
	expect_no_arrow(test);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, ~0U);
}

/* The smoothed RTT becomes this; what began the round is shorter. */
static void up_smoothed(struct sock *sk, u32 srtt_us)
{
	tcp_sk(sk)->srtt_us = srtt_us << 3;
	unit_acks(sk, UNIT_RTT_US);
}

/* RTTs of a probe become so much longer. */
static struct sock *up_delayed(struct kunit *test, u32 delay_us, u32 noise_us)
{
	struct sock *sk = up_for(test, UNIT_RTT_US, 1, UNIT_BDP);

	tcp_sk(sk)->mdev_us = noise_us << 1;
	up_smoothed(sk, UNIT_RTT_US + delay_us);
	return sk;
}

/* Largest delay at which a probe goes on. */
static u32 up_limit_us(struct kunit *test, u32 noise_us)
{
	u32 low_us = 0, high_us = 2 * UNIT_RTT_US, mid_us;

	while (high_us - low_us > 1) {
		mid_us = (low_us + high_us) / 2;
		if (is_in_up(up_delayed(test, mid_us, noise_us)))
			low_us = mid_us;
		else
			high_us = mid_us;
	}
	return low_us;
}

static void up_ends_on_delay(struct kunit *test)
{
	u32 limit_us = up_limit_us(test, 0);

	/* room for what a probe is to queue, but for no standing queue */
	KUNIT_EXPECT_GE(test, limit_us, KCC_UP_DELAY_MIN_US);
	KUNIT_EXPECT_LE(test, limit_us, UNIT_RTT_US / 2);
	up_delayed(test, limit_us, 0);
	expect_no_arrow(test);
	up_delayed(test, limit_us + 1, 0);
	expect_arrow(test, UP, DOWN, KCC_WHY_DELAY);
}

static void up_delay_limit_grows_with_noise(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, up_limit_us(test, 7000), up_limit_us(test, 0) + 7000);
}

/* A queue that stood before the probe is none of its delay. */
static void up_delay_counts_from_the_standing_queue(struct kunit *test)
{
	u32 limit_us = up_limit_us(test, 0) + 5000;
	struct sock *sk;

	unit_arrow_count = 0;
	sk = up_for(test, UNIT_RTT_US, 1, UNIT_BDP);
	kcc_ca(sk)->queue_us = 5000;
	up_smoothed(sk, UNIT_RTT_US + limit_us);
	expect_no_arrow(test);
	sk = up_for(test, UNIT_RTT_US, 1, UNIT_BDP);
	kcc_ca(sk)->queue_us = 5000;
	up_smoothed(sk, UNIT_RTT_US + limit_us + 1);
	expect_arrow(test, UP, DOWN, KCC_WHY_DELAY);
}

static void up_delay_needs_samples(struct kunit *test)
{
	struct sock *sk = up_for(test, UNIT_RTT_US, 1, UNIT_BDP);
	u32 i;

	tcp_sk(sk)->srtt_us = (2 * UNIT_RTT_US) << 3;
	for (i = 1; i < KCC_DELAY_MIN_SAMPLES; i++)
		unit_ack(sk, 2 * UNIT_RTT_US);
	expect_no_arrow(test);
	unit_ack(sk, 2 * UNIT_RTT_US);
	expect_arrow(test, UP, DOWN, KCC_WHY_DELAY);
}

static void up_times_out(struct kunit *test)
{
	struct sock *sk = up_for(test, UNIT_RTT_US, KCC_UP_ROUNDS - 1, UNIT_BDP);

	unit_ack(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	kcc_ca(sk)->rounds = KCC_UP_ROUNDS;
	unit_ack(sk, UNIT_RTT_US);
	expect_arrow(test, UP, DOWN, KCC_WHY_TIMEOUT);
}

/* --- UP -> STARTUP ---------------------------------------------------------- */

/* A probe ends a round in which it has found so much more. */
static struct sock *up_finds(struct kunit *test, u32 rounds, u32 gain, u32 rtt_us)
{
	struct sock *sk = up_for(test, UNIT_RTT_US, rounds, UNIT_BDP);
	struct rate_sample rs;

	kcc_ca(sk)->bound_pkts = 2 * UNIT_BDP;
	kcc_ca(sk)->round_rtt_us = rtt_us;
	rs = unit_next_round(sk, rtt_us);
	rs.delivered = kcc_fp_scale(UNIT_BDP, gain) + 1;
	unit_take(sk, &rs);
	return sk;
}

static void up_with_room_doubles_instead(struct kunit *test)
{
	struct sock *sk = up_finds(test, KCC_ROOM_ROUNDS - 1, KCC_ROOM_GAIN,
				   UNIT_RTT_US);

	expect_arrow(test, UP, STARTUP, KCC_WHY_ROOM);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, ~0U);
	KUNIT_EXPECT_GT(test, (u32)kcc_ca(sk)->pacing_gain, KCC_UP_GAIN);
}

static void up_has_no_room_before_its_rounds(struct kunit *test)
{
	up_finds(test, KCC_ROOM_ROUNDS - 2, KCC_ROOM_GAIN, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, unit_count(UP, STARTUP, KCC_WHY_ROOM), 0);
}

static void up_has_no_room_with_little_growth(struct kunit *test)
{
	up_finds(test, KCC_ROOM_ROUNDS - 1, KCC_ROOM_GAIN - 4, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, unit_count(UP, STARTUP, KCC_WHY_ROOM), 0);
}

static void up_has_no_room_with_a_queue(struct kunit *test)
{
	up_finds(test, KCC_ROOM_ROUNDS - 1, KCC_ROOM_GAIN, UNIT_RTT_US * 5 / 4);
	KUNIT_EXPECT_EQ(test, unit_count(UP, STARTUP, KCC_WHY_ROOM), 0);
}

static struct kunit_case kcc_state_cases[] = {
	KUNIT_CASE(cruise_goes_up_after_its_rounds),
	KUNIT_CASE(cruise_forgets_a_quarter_of_the_longest_delay),
	KUNIT_CASE(cruise_waits_for_its_drained_window),
	KUNIT_CASE(cruise_length_is_spread),
	KUNIT_CASE(cruise_saturated_round_sets_bw_to_what_came_out),
	KUNIT_CASE(cruise_saturated_round_lowers_bw_by_a_fifth_at_most),
	KUNIT_CASE(cruise_round_with_a_foreign_queue_is_not_saturated),
	KUNIT_CASE(cruise_round_of_a_slow_application_is_not_saturated),
	KUNIT_CASE(cruise_round_that_delivered_its_pace_is_not_saturated),
	KUNIT_CASE(cruise_round_without_a_queue_is_not_saturated),
	KUNIT_CASE(cruise_round_of_jitter_is_not_saturated),
	KUNIT_CASE(cruise_round_far_above_t_is_not_saturated),
	KUNIT_CASE(cruise_does_not_saturate_in_its_first_round),
	KUNIT_CASE(cruise_saturates_only_at_the_end_of_a_round),
	KUNIT_CASE(cruise_takes_the_window_of_a_slow_application),
	KUNIT_CASE(cruise_takes_no_window_from_a_full_pipe),
	KUNIT_CASE(up_lasts_one_rtt_at_least),
	KUNIT_CASE(up_that_reaches_the_bound_says_so),
	KUNIT_CASE(up_ends_on_a_verdict_at_once),
	KUNIT_CASE(up_goes_on_over_a_loss_without_a_verdict),
	KUNIT_CASE(up_ends_on_delay),
	KUNIT_CASE(up_delay_limit_grows_with_noise),
	KUNIT_CASE(up_delay_counts_from_the_standing_queue),
	KUNIT_CASE(up_delay_needs_samples),
	KUNIT_CASE(up_times_out),
	KUNIT_CASE(up_with_room_doubles_instead),
	KUNIT_CASE(up_has_no_room_before_its_rounds),
	KUNIT_CASE(up_has_no_room_with_little_growth),
	KUNIT_CASE(up_has_no_room_with_a_queue),
	{}
};

struct kunit_suite kcc_state_suite = {
	.name = "kcc_state",
	.suite_init = unit_trace_begin,
	.suite_exit = unit_trace_end,
	.init = unit_case_init,
	.exit = unit_case_exit,
	.test_cases = kcc_state_cases,
};
