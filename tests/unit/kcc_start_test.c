// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_start: STARTUP and DRAIN, every way in and out
 *
 * Included by tcp_kcc_unit.c.  Where a path brings the condition about it does;
 * edges are approached from both sides on a flow that was put there.
 */

static bool has_left_startup(const struct sock *sk)
{
	return kcc_ca(sk)->mode != KCC_STARTUP;
}

static bool is_in_startup(const struct sock *sk)
{
	return kcc_ca(sk)->mode == KCC_STARTUP;
}

static bool is_in_up(const struct sock *sk)
{
	return kcc_state_id(kcc_ca(sk)) == UP;
}

static bool has_a_quarter_of_the_rate(const struct sock *sk)
{
	return kcc_bw(kcc_ca(sk)) > UNIT_BW / 4;
}

/* --- STARTUP -> DRAIN ------------------------------------------------------ */

/* A receive window of half a BDP: no queue, no loss, no growth. */
static void startup_exits_on_plateau(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 10 * UNIT_BDP);

	tcp_sk(path->sk)->snd_cwnd_clamp = UNIT_BDP / 2;
	KUNIT_EXPECT_TRUE(test, unit_path_run(path, 2000000, has_left_startup));
	expect_arrow(test, STARTUP, DRAIN, KCC_WHY_PLATEAU);
	KUNIT_EXPECT_EQ(test, path->max_queue_pkts, 0);
}

static void startup_exits_on_delay(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 10 * UNIT_BDP);

	KUNIT_EXPECT_TRUE(test, unit_path_run(path, 2000000, has_left_startup));
	expect_arrow(test, STARTUP, DRAIN, KCC_WHY_DELAY);
	/* found all of the rate, and queued far less than the buffer */
	KUNIT_EXPECT_GT(test, kcc_bw(kcc_ca(path->sk)), UNIT_BW * 9 / 10);
	KUNIT_EXPECT_LT(test, path->max_queue_pkts, 2 * UNIT_BDP);
	KUNIT_EXPECT_EQ(test, tcp_sk(path->sk)->lost, 0);
}

/* The buffer holds less than the delay that would have ended it. */
static void startup_exits_on_loss(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, UNIT_BDP / 20);

	KUNIT_EXPECT_TRUE(test, unit_path_run(path, 2000000, has_left_startup));
	expect_arrow(test, STARTUP, DRAIN, KCC_WHY_LOSS);
	KUNIT_EXPECT_NE(test, kcc_ca(path->sk)->bound_pkts, ~0U);
	KUNIT_EXPECT_GE(test, kcc_ca(path->sk)->bound_pkts, UNIT_BDP / 2);
}

static void startup_ignores_rounds_of_a_slow_application(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 10 * UNIT_BDP);

	path->app_us = 1000;
	KUNIT_EXPECT_FALSE(test, unit_path_run(path, 3000000, has_left_startup));
	expect_no_arrow(test);
	path->app_us = 0;
	KUNIT_EXPECT_TRUE(test, unit_path_run(path, 3000000, has_left_startup));
}

/* One flow, flat rounds: only those that filled the pipe count. */
static void startup_plateau_takes_full_rounds_that_do_not_grow(struct kunit *test)
{
	struct sock *sk = unit_flow(test, STARTUP);
	struct rate_sample rs;
	u32 i;

	kcc_ca(sk)->ref_bw = UNIT_BW;
	for (i = 0; i < 10; i++) {
		rs = unit_next_round(sk, UNIT_RTT_US);
		rs.is_app_limited = true;
		unit_take(sk, &rs);
	}
	expect_no_arrow(test);
	for (i = 1; i < KCC_FLAT_ROUNDS; i++)
		unit_round(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	unit_round(sk, UNIT_RTT_US);
	expect_arrow(test, STARTUP, DRAIN, KCC_WHY_PLATEAU);
}

static void startup_growth_starts_the_count_again(struct kunit *test)
{
	struct sock *sk = unit_flow(test, STARTUP);
	struct rate_sample rs;
	u32 i;

	kcc_ca(sk)->ref_bw = UNIT_BW;
	for (i = 1; i < KCC_FLAT_ROUNDS; i++)
		unit_round(sk, UNIT_RTT_US);
	rs = unit_next_round(sk, UNIT_RTT_US);
	rs.delivered = kcc_fp_scale(UNIT_BDP, KCC_GROWTH_GAIN) + 1;
	unit_take(sk, &rs);
	for (i = 1; i < KCC_FLAT_ROUNDS; i++)
		unit_round(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->ref_bw, kcc_bw(kcc_ca(sk)));
}

/* STARTUP with so much noise takes a round of RTTs that are so much longer. */
static struct sock *startup_delayed(struct kunit *test, u32 delay_us, u32 noise_us,
				    bool lenient)
{
	struct sock *sk = unit_flow(test, STARTUP);

	tcp_sk(sk)->mdev_us = noise_us << 1;
	kcc_ca(sk)->exit_lenient = lenient;
	unit_acks(sk, UNIT_RTT_US + delay_us);
	return sk;
}

/* Largest delay that does not end STARTUP. */
static u32 startup_limit_us(struct kunit *test, u32 noise_us, bool lenient)
{
	u32 low_us = 0, high_us = 2 * UNIT_RTT_US, mid_us;

	while (high_us - low_us > 1) {
		mid_us = (low_us + high_us) / 2;
		if (is_in_startup(startup_delayed(test, mid_us, noise_us, lenient)))
			low_us = mid_us;
		else
			high_us = mid_us;
	}
	unit_arrow_count = 0;
	return low_us;
}

static void startup_delay_limit_is_a_part_of_the_rtt(struct kunit *test)
{
	u32 limit_us = startup_limit_us(test, 0, false);

	KUNIT_EXPECT_GE(test, limit_us, USEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, limit_us, UNIT_RTT_US / 2);
}

static void startup_delay_at_the_limit_slows_down(struct kunit *test)
{
	u32 limit_us = startup_limit_us(test, 0, false);
	struct sock *sk = startup_delayed(test, limit_us, 0, false);

	expect_no_arrow(test);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->slow_down);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->pacing_gain, KCC_SLOW_DOWN_GAIN);
	sk = startup_delayed(test, 0, 0, false);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->slow_down);
	KUNIT_EXPECT_GT(test, (u32)kcc_ca(sk)->pacing_gain, KCC_SLOW_DOWN_GAIN);
}

static void startup_delay_above_the_limit_ends_it(struct kunit *test)
{
	u32 limit_us = startup_limit_us(test, 0, false);
	struct kcc *kcc = kcc_ca(startup_delayed(test, limit_us + 1, 0, false));

	expect_arrow(test, STARTUP, DRAIN, KCC_WHY_DELAY);
	KUNIT_EXPECT_TRUE(test, kcc->exit_verify);
	KUNIT_EXPECT_EQ(test, kcc->exit_delay_us, limit_us + 1);
	KUNIT_EXPECT_TRUE(test, kcc->full_pipe);
}

static void startup_delay_limit_grows_with_noise(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, startup_limit_us(test, 7000, false),
			startup_limit_us(test, 0, false) + 7000);
}

static void startup_delay_limit_is_three_times_as_high_when_lenient(struct kunit *test)
{
	u32 limit_us = startup_limit_us(test, 0, true);
	struct sock *sk;

	KUNIT_EXPECT_EQ(test, limit_us, 3 * startup_limit_us(test, 0, false));
	sk = startup_delayed(test, limit_us + 1, 0, true);
	expect_arrow(test, STARTUP, DRAIN, KCC_WHY_DELAY);
	/* it was verified once; another refutation would go round in circles */
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->exit_verify);
}

static void startup_delay_needs_samples(struct kunit *test)
{
	struct sock *sk = unit_flow(test, STARTUP);
	u32 i;

	for (i = 1; i < KCC_DELAY_MIN_SAMPLES; i++)
		unit_ack(sk, 2 * UNIT_RTT_US);
	expect_no_arrow(test);
	unit_ack(sk, 2 * UNIT_RTT_US);
	expect_arrow(test, STARTUP, DRAIN, KCC_WHY_DELAY);
}

static void startup_delay_needs_packets_in_flight(struct kunit *test)
{
	struct sock *sk = unit_flow(test, STARTUP);

	tcp_sk(sk)->packets_out = KCC_DELAY_MIN_PKTS - 1;
	unit_acks(sk, 2 * UNIT_RTT_US);
	expect_no_arrow(test);
	tcp_sk(sk)->packets_out = KCC_DELAY_MIN_PKTS;
	unit_ack(sk, 2 * UNIT_RTT_US);
	expect_arrow(test, STARTUP, DRAIN, KCC_WHY_DELAY);
}

static void startup_delay_is_the_smallest_of_the_round(struct kunit *test)
{
	struct sock *sk = unit_flow(test, STARTUP);

	unit_ack(sk, UNIT_RTT_US);
	unit_acks(sk, 2 * UNIT_RTT_US);
	expect_no_arrow(test);
}

/* Where RTTs spread, a few short ones in a row are chance: the round is waited
 * for, and its minimum must exceed the spread as well.
 */
static struct sock *startup_in_jitter(struct kunit *test, u32 rounds)
{
	struct sock *sk = unit_flow(test, STARTUP);

	kcc_ca(sk)->high_rounds = rounds;
	tcp_sk(sk)->srtt_us = (3 * UNIT_RTT_US) << 3;
	return sk;
}

static void startup_in_jitter_waits_for_the_end_of_the_round(struct kunit *test)
{
	struct sock *sk = startup_in_jitter(test, KCC_NOISY_ROUNDS);

	unit_acks(sk, 5 * UNIT_RTT_US / 2);
	expect_no_arrow(test);
	unit_round(sk, 5 * UNIT_RTT_US / 2);
	expect_arrow(test, STARTUP, DRAIN, KCC_WHY_DELAY);
}

static void startup_in_jitter_goes_on_over_a_delay_within_the_spread(struct kunit *test)
{
	struct sock *sk = startup_in_jitter(test, KCC_NOISY_ROUNDS);

	unit_acks(sk, 3 * UNIT_RTT_US / 2);
	unit_round(sk, 3 * UNIT_RTT_US / 2);
	expect_no_arrow(test);
}

static void startup_in_jitter_of_one_round_does_not_wait(struct kunit *test)
{
	struct sock *sk = startup_in_jitter(test, KCC_NOISY_ROUNDS - 1);

	unit_acks(sk, 5 * UNIT_RTT_US / 2);
	expect_arrow(test, STARTUP, DRAIN, KCC_WHY_DELAY);
}

/* --- DRAIN -> CRUISE -------------------------------------------------------- */

/* A flow in a draining state, so long in it and with so much in flight, takes
 * one ACK.
 */
static struct sock *drain_for(struct kunit *test, enum unit_state state,
			      u32 elapsed_us, u32 inflight_pkts)
{
	struct sock *sk = unit_flow(test, state);

	unit_arrow_count = 0;
	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	unit_clock(sk, elapsed_us);
	tcp_sk(sk)->packets_out = inflight_pkts;
	unit_ack(sk, UNIT_RTT_US);
	return sk;
}

static void drain_goes_on_while_neither_gate_is_open(struct kunit *test)
{
	drain_for(test, DRAIN, UNIT_RTT_US - 1, UNIT_BDP + 1);
	expect_no_arrow(test);
}

static void drain_time_alone_does_not_suffice(struct kunit *test)
{
	drain_for(test, DRAIN, UNIT_RTT_US, UNIT_BDP + 1);
	expect_no_arrow(test);
	drain_for(test, DRAIN, 3 * UNIT_RTT_US, UNIT_BDP + 1);
	expect_no_arrow(test);
}

static void drain_inflight_alone_does_not_suffice(struct kunit *test)
{
	drain_for(test, DRAIN, UNIT_RTT_US - 1, UNIT_BDP);
	expect_no_arrow(test);
	drain_for(test, DRAIN, UNIT_RTT_US - 1, 0);
	expect_no_arrow(test);
}

static void drain_ends_when_both_gates_are_open(struct kunit *test)
{
	struct sock *sk = drain_for(test, DRAIN, UNIT_RTT_US, UNIT_BDP);

	expect_arrow(test, DRAIN, CRUISE, KCC_WHY_DRAINED);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_open);
	/* one BDP is no proof of T */
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_deep);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->loss_hold);
}

static void drain_times_out(struct kunit *test)
{
	u32 limit_us = KCC_DRAIN_TIMEOUT_RTTS * UNIT_RTT_US;
	struct sock *sk;

	drain_for(test, DRAIN, limit_us - 1, 2 * UNIT_BDP);
	expect_no_arrow(test);
	sk = drain_for(test, DRAIN, limit_us, 2 * UNIT_BDP);
	expect_arrow(test, DRAIN, CRUISE, KCC_WHY_TIMEOUT);
	/* nothing was drained, so nothing is measured */
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_open);
}

static void drain_does_not_count_what_waits_for_its_pace(struct kunit *test)
{
	struct sock *sk = unit_flow(test, DRAIN);

	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	unit_clock(sk, UNIT_RTT_US);
	tcp_sk(sk)->packets_out = UNIT_BDP + 10;
	/* until the next packet leaves, ten are delivered */
	tcp_sk(sk)->tcp_wstamp_ns += 990 * NSEC_PER_USEC;
	unit_ack(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	tcp_sk(sk)->tcp_wstamp_ns += 20 * NSEC_PER_USEC;
	unit_ack(sk, UNIT_RTT_US);
	expect_arrow(test, DRAIN, CRUISE, KCC_WHY_DRAINED);
}

/* A round of DRAIN at half the rate ends with so much in flight. */
static void drain_at_half_the_rate(struct kunit *test, u32 delay_us, bool is_app_limited,
				   u32 inflight_pkts)
{
	struct sock *sk = unit_flow(test, DRAIN);
	struct rate_sample rs;
	u32 i;

	unit_arrow_count = 0;
	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	for (i = 0; i < KCC_DELAY_MIN_SAMPLES; i++) {
		rs = unit_sample(sk, UNIT_RTT_US + delay_us);
		rs.delivered = UNIT_BDP / 2;
		rs.is_app_limited = is_app_limited;
		unit_take(sk, &rs);
	}
	expect_no_arrow(test);
	unit_clock(sk, UNIT_RTT_US);
	tcp_sk(sk)->packets_out = inflight_pkts;
	unit_take(sk, &rs);
}

/* While a queue stands the target is what comes out, not what once did. */
static void drain_target_follows_a_lower_sample(struct kunit *test)
{
	drain_at_half_the_rate(test, UNIT_RTT_US / 2, false, UNIT_BDP * 3 / 4);
	expect_no_arrow(test);
	drain_at_half_the_rate(test, UNIT_RTT_US / 2, false, UNIT_BDP / 2);
	expect_arrow(test, DRAIN, CRUISE, KCC_WHY_DRAINED);
}

/* Our own draining must not move the target away from us. */
static void drain_target_ignores_a_lower_sample_without_a_queue(struct kunit *test)
{
	drain_at_half_the_rate(test, 0, false, UNIT_BDP * 3 / 4);
	expect_arrow(test, DRAIN, CRUISE, KCC_WHY_DRAINED);
}

static void drain_target_ignores_a_sample_of_the_application(struct kunit *test)
{
	drain_at_half_the_rate(test, UNIT_RTT_US / 2, true, UNIT_BDP * 3 / 4);
	expect_arrow(test, DRAIN, CRUISE, KCC_WHY_DRAINED);
}

/* What a flow delivered while STARTUP's queue drained. */
static u32 bw_after_drain(struct kunit *test, enum unit_state state, u32 delivered_pkts)
{
	struct sock *sk = unit_flow(test, state);

	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	kcc_ca(sk)->phase_delivered = tcp_sk(sk)->delivered;
	tcp_sk(sk)->delivered += delivered_pkts - 1;
	unit_clock(sk, UNIT_RTT_US);
	unit_ack(sk, UNIT_RTT_US);
	expect_arrow(test, state, CRUISE, KCC_WHY_DRAINED);
	return kcc_bw(kcc_ca(sk));
}

static void drain_leaves_the_share_that_came_out(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, bw_after_drain(test, DRAIN, UNIT_BDP * 3 / 4),
			kcc_fp_bw(UNIT_BDP * 3 / 4, UNIT_RTT_US));
}

static void drain_share_is_no_more_and_no_pittance(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, bw_after_drain(test, DRAIN, UNIT_BDP * 5 / 4), UNIT_BW);
	KUNIT_EXPECT_EQ(test, bw_after_drain(test, DRAIN, UNIT_BDP / 10), UNIT_BW);
	KUNIT_EXPECT_EQ(test, bw_after_drain(test, DOWN, UNIT_BDP * 3 / 4), UNIT_BW);
}

static void drain_target_is_at_least_4_packets(struct kunit *test)
{
	struct sock *sk = unit_flow(test, DRAIN);
	struct rate_sample rs;

	kcc_set_bw(kcc_ca(sk), 1);
	unit_clock(sk, UNIT_RTT_US);
	tcp_sk(sk)->packets_out = KCC_CWND_MIN_PKTS;
	rs = unit_sample(sk, UNIT_RTT_US);
	rs.delivered = 0;
	unit_take(sk, &rs);
	expect_arrow(test, DRAIN, CRUISE, KCC_WHY_DRAINED);
}

/* The same gates at the end of a probe. */

static void down_time_alone_does_not_suffice(struct kunit *test)
{
	drain_for(test, DOWN, UNIT_RTT_US, UNIT_BDP + 1);
	expect_no_arrow(test);
}

static void down_inflight_alone_does_not_suffice(struct kunit *test)
{
	drain_for(test, DOWN, UNIT_RTT_US - 1, UNIT_BDP);
	expect_no_arrow(test);
	drain_for(test, DOWN, UNIT_RTT_US - 1, 0);
	expect_no_arrow(test);
}

static void down_ends_when_both_gates_are_open(struct kunit *test)
{
	struct sock *sk = drain_for(test, DOWN, UNIT_RTT_US, UNIT_BDP);

	expect_arrow(test, DOWN, CRUISE, KCC_WHY_DRAINED);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_open);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_deep);
	/* within PROBE_BW the loss accounts go on */
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->loss_hold);
}

static void down_times_out(struct kunit *test)
{
	u32 limit_us = KCC_DRAIN_TIMEOUT_RTTS * UNIT_RTT_US;
	struct sock *sk;

	drain_for(test, DOWN, limit_us - 1, 2 * UNIT_BDP);
	expect_no_arrow(test);
	sk = drain_for(test, DOWN, limit_us, 2 * UNIT_BDP);
	expect_arrow(test, DOWN, CRUISE, KCC_WHY_TIMEOUT);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_open);
}

/* Until T is proven DOWN goes below one BDP, and so it does in doubt. */
static void expect_deep_down(struct kunit *test, struct sock *sk)
{
	u32 target_pkts = kcc_bdp_pkts(sk, UNIT_BW, kcc_drain_gain(kcc_ca(sk)));

	KUNIT_EXPECT_LT(test, target_pkts, UNIT_BDP);
	unit_clock(sk, UNIT_RTT_US);
	tcp_sk(sk)->packets_out = target_pkts + 1;
	unit_ack(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	tcp_sk(sk)->packets_out = target_pkts;
	unit_ack(sk, UNIT_RTT_US);
	expect_arrow(test, DOWN, CRUISE, KCC_WHY_DRAINED);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_deep);
}

static void down_goes_deeper_without_proof(struct kunit *test)
{
	struct sock *sk = unit_flow(test, DOWN);

	kcc_ca(sk)->proven = 0;
	expect_deep_down(test, sk);
}

static void down_goes_deeper_when_the_filter_asks(struct kunit *test)
{
	struct sock *sk = unit_flow(test, DOWN);

	kcc_ca(sk)->kf.p_us2 = U32_MAX;
	expect_deep_down(test, sk);
}

/* --- CRUISE -> STARTUP: the delay was not ours ------------------------------ */

/* Somebody else's queue appears while we double, and stays. */
static void startup_exit_is_refuted_by_a_queue_that_stays(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 10 * UNIT_BDP);

	KUNIT_ASSERT_TRUE(test, unit_path_run(path, 2000000, has_a_quarter_of_the_rate));
	path->foreign_us = 15000;
	KUNIT_ASSERT_TRUE(test, unit_path_run(path, 2000000, has_left_startup));
	expect_arrow(test, STARTUP, DRAIN, KCC_WHY_DELAY);
	KUNIT_EXPECT_TRUE(test, unit_path_run(path, 2000000, is_in_startup));
	expect_arrow(test, CRUISE, STARTUP, KCC_WHY_NOT_OURS);
	KUNIT_EXPECT_TRUE(test, kcc_ca(path->sk)->exit_lenient);
}

static void startup_exit_is_upheld_by_a_queue_that_goes(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 10 * UNIT_BDP);

	KUNIT_EXPECT_TRUE(test, unit_path_run(path, 5000000, is_in_up));
	KUNIT_EXPECT_EQ(test, unit_count(STARTUP, DRAIN, KCC_WHY_DELAY), 1);
	KUNIT_EXPECT_EQ(test, unit_count(CRUISE, STARTUP, KCC_WHY_NOT_OURS), 0);
	KUNIT_EXPECT_FALSE(test, kcc_ca(path->sk)->exit_lenient);
}

static struct sock *cruise_to_verify(struct kunit *test, u32 exit_delay_us)
{
	struct sock *sk = unit_flow(test, CRUISE);

	unit_arrow_count = 0;
	kcc_ca(sk)->exit_verify = 1;
	kcc_ca(sk)->exit_delay_us = exit_delay_us;
	return sk;
}

static void exit_refuted_when_half_of_the_delay_stays(struct kunit *test)
{
	struct sock *sk = cruise_to_verify(test, 10000);

	unit_drained_round(sk, UNIT_RTT_US + 5000);
	expect_no_arrow(test);
	sk = cruise_to_verify(test, 10000);
	unit_drained_round(sk, UNIT_RTT_US + 5001);
	expect_arrow(test, CRUISE, STARTUP, KCC_WHY_NOT_OURS);
}

static void exit_refuted_only_by_a_drained_round(struct kunit *test)
{
	struct sock *sk = cruise_to_verify(test, 10000);

	unit_round(sk, UNIT_RTT_US + 9000);
	expect_no_arrow(test);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->exit_verify);
}

static void exit_refuted_only_once(struct kunit *test)
{
	struct sock *sk = cruise_to_verify(test, 10000);

	unit_drained_round(sk, UNIT_RTT_US);
	unit_drained_round(sk, UNIT_RTT_US + 9000);
	expect_no_arrow(test);
}

/* PROBE_RTT keeps a rate where the delay was kept: it must not be compared. */
static void exit_is_not_refuted_by_what_probe_rtt_left(struct kunit *test)
{
	struct sock *sk = cruise_to_verify(test, 10000);
	struct kcc *kcc = kcc_ca(sk);
	struct rate_sample rs;

	/* two rounds far above T, the second of a slow application */
	unit_round(sk, 2 * UNIT_RTT_US);
	rs = unit_next_round(sk, 2 * UNIT_RTT_US);
	rs.is_app_limited = true;
	unit_take(sk, &rs);
	expect_state(test, sk, PROBE_RTT);
	unit_drained_round(sk, UNIT_RTT_US);
	expect_state(test, sk, CRUISE);
	/* drained and confirmed, 1 us above T */
	unit_drained_round(sk, UNIT_RTT_US + 1);
	KUNIT_EXPECT_EQ(test, unit_count(CRUISE, STARTUP, KCC_WHY_NOT_OURS), 0);
	KUNIT_EXPECT_FALSE(test, kcc->exit_lenient);
}

/* STARTUP again, however it was entered, takes off what bounded the flow. */
static void startup_again_is_unbounded(struct kunit *test)
{
	struct sock *sk = cruise_to_verify(test, 10000);
	struct kcc *kcc = kcc_ca(sk);

	kcc->bound_pkts = UNIT_BDP;
	kcc->flat_rounds = 2;
	unit_drained_round(sk, UNIT_RTT_US + 9000);
	expect_state(test, sk, STARTUP);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, ~0U);
	KUNIT_EXPECT_EQ(test, (u32)kcc->flat_rounds, 0);
	KUNIT_EXPECT_EQ(test, kcc->ref_bw, 0);
	KUNIT_EXPECT_GE(test, (u32)kcc->pacing_gain, KCC_SLOW_DOWN_GAIN);
}

static struct kunit_case kcc_start_cases[] = {
	KUNIT_CASE(startup_exits_on_plateau),
	KUNIT_CASE(startup_exits_on_delay),
	KUNIT_CASE(startup_exits_on_loss),
	KUNIT_CASE(startup_ignores_rounds_of_a_slow_application),
	KUNIT_CASE(startup_plateau_takes_full_rounds_that_do_not_grow),
	KUNIT_CASE(startup_growth_starts_the_count_again),
	KUNIT_CASE(startup_delay_limit_is_a_part_of_the_rtt),
	KUNIT_CASE(startup_delay_at_the_limit_slows_down),
	KUNIT_CASE(startup_delay_above_the_limit_ends_it),
	KUNIT_CASE(startup_delay_limit_grows_with_noise),
	KUNIT_CASE(startup_delay_limit_is_three_times_as_high_when_lenient),
	KUNIT_CASE(startup_delay_needs_samples),
	KUNIT_CASE(startup_delay_needs_packets_in_flight),
	KUNIT_CASE(startup_delay_is_the_smallest_of_the_round),
	KUNIT_CASE(startup_in_jitter_waits_for_the_end_of_the_round),
	KUNIT_CASE(startup_in_jitter_goes_on_over_a_delay_within_the_spread),
	KUNIT_CASE(startup_in_jitter_of_one_round_does_not_wait),
	KUNIT_CASE(drain_goes_on_while_neither_gate_is_open),
	KUNIT_CASE(drain_time_alone_does_not_suffice),
	KUNIT_CASE(drain_inflight_alone_does_not_suffice),
	KUNIT_CASE(drain_ends_when_both_gates_are_open),
	KUNIT_CASE(drain_times_out),
	KUNIT_CASE(drain_does_not_count_what_waits_for_its_pace),
	KUNIT_CASE(drain_target_follows_a_lower_sample),
	KUNIT_CASE(drain_target_ignores_a_lower_sample_without_a_queue),
	KUNIT_CASE(drain_target_ignores_a_sample_of_the_application),
	KUNIT_CASE(drain_leaves_the_share_that_came_out),
	KUNIT_CASE(drain_share_is_no_more_and_no_pittance),
	KUNIT_CASE(drain_target_is_at_least_4_packets),
	KUNIT_CASE(down_time_alone_does_not_suffice),
	KUNIT_CASE(down_inflight_alone_does_not_suffice),
	KUNIT_CASE(down_ends_when_both_gates_are_open),
	KUNIT_CASE(down_times_out),
	KUNIT_CASE(down_goes_deeper_without_proof),
	KUNIT_CASE(down_goes_deeper_when_the_filter_asks),
	KUNIT_CASE(startup_exit_is_refuted_by_a_queue_that_stays),
	KUNIT_CASE(startup_exit_is_upheld_by_a_queue_that_goes),
	KUNIT_CASE(exit_refuted_when_half_of_the_delay_stays),
	KUNIT_CASE(exit_refuted_only_by_a_drained_round),
	KUNIT_CASE(exit_refuted_only_once),
	KUNIT_CASE(exit_is_not_refuted_by_what_probe_rtt_left),
	KUNIT_CASE(startup_again_is_unbounded),
	{}
};

struct kunit_suite kcc_start_suite = {
	.name = "kcc_start",
	.suite_init = unit_trace_begin,
	.suite_exit = unit_trace_end,
	.init = unit_case_init,
	.exit = unit_case_exit,
	.test_cases = kcc_start_cases,
};
