// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_probe_rtt: PROBE_RTT and idle, every way in and out
 *
 * Included by tcp_kcc_unit.c.
 */

/* --- PROBE_BW -> PROBE_RTT: doubt ------------------------------------------- */

static void probe_rtt_is_entered_after_two_rounds_of_doubt(struct kunit *test)
{
	static const enum unit_state from[] = { CRUISE, DOWN };
	struct sock *sk;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(from); i++) {
		unit_arrow_count = 0;
		sk = unit_flow(test, from[i]);
		kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
		tcp_sk(sk)->packets_out = 2 * UNIT_BDP;
		unit_round(sk, UNIT_RTT_US * 17 / 10);
		expect_no_arrow(test);
		unit_round(sk, UNIT_RTT_US * 17 / 10);
		expect_arrow(test, from[i], PROBE_RTT, KCC_WHY_PATH_CHECK);
		KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->doubted);
	}
}

/* A UP with so few ACKs a round that its delay is not told at once. */
static void probe_rtt_is_entered_from_up(struct kunit *test)
{
	struct sock *sk = up_for(test, 0, 0, UNIT_BDP);

	unit_round(sk, UNIT_RTT_US * 17 / 10);
	expect_no_arrow(test);
	unit_round(sk, UNIT_RTT_US * 17 / 10);
	expect_arrow(test, UP, PROBE_RTT, KCC_WHY_PATH_CHECK);
}

static void doubt_ends_with_one_low_round(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	unit_round(sk, UNIT_RTT_US * 17 / 10);
	unit_round(sk, UNIT_RTT_US);
	unit_round(sk, UNIT_RTT_US * 17 / 10);
	expect_no_arrow(test);
}

/* Is T doubted after two rounds of this RTT, and so much noise? */
static bool doubts(struct kunit *test, u32 rtt_us, u32 noise_us)
{
	struct sock *sk = unit_flow(test, CRUISE);

	tcp_sk(sk)->mdev_us = noise_us << 1;
	unit_round(sk, rtt_us);
	unit_round(sk, rtt_us);
	return kcc_ca(sk)->mode == KCC_PROBE_RTT;
}

/* And a millisecond. */
static void doubt_needs_one_and_a_half_rtts(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, doubts(test, UNIT_RTT_US * 3 / 2 + 1000, 0));
	KUNIT_EXPECT_TRUE(test, doubts(test, UNIT_RTT_US * 3 / 2 + 1001, 0));
}

static void doubt_allows_for_noise(struct kunit *test)
{
	u32 limit_us = UNIT_RTT_US * 3 / 2 + 1000;

	KUNIT_EXPECT_FALSE(test, doubts(test, limit_us + 2 * 5000, 5000));
	KUNIT_EXPECT_TRUE(test, doubts(test, limit_us + 2 * 5000 + 1, 5000));
}

/* Or a longer path would not be noticed under jitter. */
static void doubt_allows_for_noise_of_half_an_rtt_at_most(struct kunit *test)
{
	u32 limit_us = UNIT_RTT_US * 3 / 2 + 1000 + UNIT_RTT_US;

	KUNIT_EXPECT_FALSE(test, doubts(test, limit_us, UNIT_RTT_US / 2));
	KUNIT_EXPECT_FALSE(test, doubts(test, limit_us, 2 * UNIT_RTT_US));
	KUNIT_EXPECT_TRUE(test, doubts(test, limit_us + 1, 2 * UNIT_RTT_US));
}

/* On a LAN the slots of a radio link are longer than that. */
static void doubt_allows_for_slots_of_8_ms(struct kunit *test)
{
	u32 limit_us = 2000 * 3 / 2 + 1000 + 2 * 8000, above;
	struct sock *sk;

	for (above = 0; above < 2; above++) {
		sk = unit_flow(test, CRUISE);
		kcc_accept_path(sk, 2000);
		tcp_sk(sk)->srtt_us = 2000 << 3;
		tcp_sk(sk)->mdev_us = 50000 << 1;
		unit_round(sk, limit_us + above);
		unit_round(sk, limit_us + above);
		KUNIT_EXPECT_EQ(test, kcc_ca(sk)->mode == KCC_PROBE_RTT, above);
	}
}

/* A check that brought nothing is not repeated until the next probe. */
static void doubt_is_checked_once_a_cycle(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	kcc_ca(sk)->doubted = 1;
	unit_round(sk, UNIT_RTT_US * 17 / 10);
	unit_round(sk, UNIT_RTT_US * 17 / 10);
	unit_round(sk, UNIT_RTT_US * 17 / 10);
	expect_no_arrow(test);
}

/* --- PROBE_BW -> PROBE_RTT: the interval ------------------------------------ */

/* A flow whose last confirmation is so old, with too much in flight to drain, as a
 * slot of the wall clock begins.
 */
static struct sock *unconfirmed_for(struct kunit *test, enum unit_state state, u32 ticks)
{
	struct sock *sk = unit_flow(test, state);

	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	kcc_ca(sk)->fresh_ticks = kcc_now_ticks() - ticks;
	tcp_sk(sk)->packets_out = 2 * UNIT_BDP;
	unit_wall_clock(2 * USEC_PER_SEC);
	return sk;
}

static struct sock *cruise_unconfirmed_for(struct kunit *test, u32 ticks)
{
	return unconfirmed_for(test, CRUISE, ticks);
}

/* Jiffies go on: a stamp of now may be a tick old when it is looked at. */
static void expect_fresh(struct kunit *test, const struct sock *sk)
{
	KUNIT_EXPECT_LE(test, (u16)(kcc_now_ticks() - kcc_ca(sk)->fresh_ticks), 1);
}

/* Ticks in about a second. */
#define SECOND_TICKS	(HZ >> KCC_TICK_SHIFT)

static void probe_rtt_is_due_after_its_interval(struct kunit *test)
{
	static const enum unit_state from[] = { UP, DOWN, CRUISE };
	struct sock *sk;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(from); i++) {
		unit_arrow_count = 0;
		/* a tick may pass on the way */
		sk = unconfirmed_for(test, from[i], KCC_PROBE_RTT_TICKS - 1);
		unit_round(sk, UNIT_RTT_US);
		expect_no_arrow(test);
		sk = unconfirmed_for(test, from[i], KCC_PROBE_RTT_TICKS + 1);
		unit_round(sk, UNIT_RTT_US);
		expect_arrow(test, from[i], PROBE_RTT, KCC_WHY_INTERVAL);
		KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->doubted);
	}
}

/* Together with the wait for a slot 9 to 11 s. */
static void probe_rtt_is_due_after_about_10_s(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, KCC_PROBE_RTT_TICKS << KCC_TICK_SHIFT, 9 * HZ);
	KUNIT_EXPECT_GT(test, (KCC_PROBE_RTT_TICKS + 1) << KCC_TICK_SHIFT, 9 * HZ);
	KUNIT_EXPECT_EQ(test, KCC_PROBE_RTT_SLOT_US, 2 * USEC_PER_SEC);
}

/* Flows of one bottleneck must drain together. */
static void probe_rtt_waits_for_a_slot(struct kunit *test)
{
	struct sock *sk = cruise_unconfirmed_for(test, 2 * KCC_PROBE_RTT_TICKS);
	u32 srtt_us = tcp_sk(sk)->srtt_us >> 3;

	KUNIT_ASSERT_GT(test, srtt_us, 0);
	unit_wall_clock(2 * USEC_PER_SEC - 1);
	unit_round(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	unit_wall_clock(2 * USEC_PER_SEC + srtt_us + 1);
	unit_round(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	unit_wall_clock(2 * USEC_PER_SEC + srtt_us);
	unit_round(sk, UNIT_RTT_US);
	expect_arrow(test, CRUISE, PROBE_RTT, KCC_WHY_INTERVAL);
}

static void probe_rtt_waits_while_a_window_is_measured(struct kunit *test)
{
	struct sock *sk = cruise_unconfirmed_for(test, 2 * KCC_PROBE_RTT_TICKS);
	struct kcc *kcc = kcc_ca(sk);

	tcp_sk(sk)->packets_out = UNIT_BDP;
	kcc->window_open = 1;
	kcc->drained_rtt_us = ~0U;
	kcc->drained_end = tcp_sk(sk)->delivered + 10 * UNIT_BDP;
	unit_round(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	/* measured, but the round is not over yet */
	kcc->window_open = 0;
	kcc->window_done = 1;
	unit_ack(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	kcc->window_done = 0;
	unit_round(sk, UNIT_RTT_US);
	expect_arrow(test, CRUISE, PROBE_RTT, KCC_WHY_INTERVAL);
}

static void probe_rtt_waits_after_idle(struct kunit *test)
{
	struct sock *sk = cruise_unconfirmed_for(test, 2 * KCC_PROBE_RTT_TICKS);
	struct rate_sample rs;

	kcc_ca(sk)->idle_restart = 1;
	rs = unit_next_round(sk, UNIT_RTT_US);
	rs.delivered = 0;
	unit_take(sk, &rs);
	expect_no_arrow(test);
	/* an ACK of new data ends the restart; the next round finds it due */
	unit_round(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->idle_restart);
	unit_round(sk, UNIT_RTT_US);
	expect_arrow(test, CRUISE, PROBE_RTT, KCC_WHY_INTERVAL);
}

/* Decoupled: a drained round that confirms T is as good as a PROBE_RTT. */
static void probe_rtt_is_put_off_by_a_drained_round(struct kunit *test)
{
	struct sock *sk = cruise_unconfirmed_for(test, 2 * KCC_PROBE_RTT_TICKS);

	unit_drained_round(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	expect_fresh(test, sk);
}

static void probe_rtt_is_not_put_off_when_coupled(struct kunit *test)
{
	struct sock *sk = cruise_unconfirmed_for(test, 2 * KCC_PROBE_RTT_TICKS);

	kcc_net(sk)->probe_rtt_decouple = 0;
	unit_drained_round(sk, UNIT_RTT_US);
	expect_arrow(test, CRUISE, PROBE_RTT, KCC_WHY_INTERVAL);
}

/* A lone flow with too large a T would confirm it at one BDP for ever. */
static void probe_rtt_is_not_put_off_without_proof(struct kunit *test)
{
	struct sock *sk = cruise_unconfirmed_for(test, 2 * KCC_PROBE_RTT_TICKS);

	kcc_ca(sk)->proven = 0;
	unit_drained_round(sk, UNIT_RTT_US);
	expect_arrow(test, CRUISE, PROBE_RTT, KCC_WHY_INTERVAL);
}

/* --- PROBE_RTT -> CRUISE ---------------------------------------------------- */

/* In PROBE_RTT for so many rounds; the window before was UNIT_BDP x 1.3. */
static struct sock *probe_rtt_for(struct kunit *test, bool doubted, u32 rounds)
{
	struct sock *sk = unit_flow(test, PROBE_RTT);
	struct kcc *kcc = kcc_ca(sk);

	unit_arrow_count = 0;
	kcc->prior_cwnd = tcp_snd_cwnd(tcp_sk(sk));
	kcc->ref_bw = UNIT_BW * 3 / 4;
	kcc->doubted = doubted;
	kcc->rounds = rounds;
	tcp_snd_cwnd_set(tcp_sk(sk), UNIT_BDP / 2);
	tcp_sk(sk)->packets_out = UNIT_BDP / 2;
	return sk;
}

static void probe_rtt_ends_when_a_drained_round_confirms(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, false, 0);

	unit_round(sk, UNIT_RTT_US);
	expect_no_arrow(test);
	kcc_ca(sk)->fresh_ticks -= SECOND_TICKS;
	unit_drained_round(sk, UNIT_RTT_US);
	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_CONFIRMED);
	expect_fresh(test, sk);
	/* the window from before, which one BDP now limits */
	KUNIT_EXPECT_GE(test, tcp_snd_cwnd(tcp_sk(sk)), UNIT_BDP);
	expect_bw_kept(test, sk);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), UNIT_RTT_US);
}

/* The queue that raised the doubt was ours: bw is what came out before. */
static void probe_rtt_confirmed_after_doubt_lowers_bw(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, 0);

	unit_drained_round(sk, UNIT_RTT_US);
	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_CONFIRMED);
	KUNIT_EXPECT_EQ(test, kcc_bw(kcc_ca(sk)), UNIT_BW * 3 / 4);
}

static void probe_rtt_keeps_t_after_one_drained_round(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, 0);

	unit_drained_round(sk, 100000);
	expect_no_arrow(test);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), UNIT_RTT_US);
}

static void probe_rtt_accepts_a_path_that_two_drained_rounds_agree_on(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, 0);

	unit_drained_round(sk, 100000);
	expect_no_arrow(test);
	unit_drained_round(sk, 102000);
	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_PATH_CHANGE);
	/* the smaller of the two: the other may hold a queue */
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), 100000);
	expect_bw_kept(test, sk);
}

static void probe_rtt_keeps_t_when_two_drained_rounds_do_not_agree(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, 0);

	unit_drained_round(sk, 60000);
	unit_drained_round(sk, 200000);
	KUNIT_EXPECT_EQ(test, unit_count(PROBE_RTT, CRUISE, KCC_WHY_PATH_CHANGE), 0);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), UNIT_RTT_US);
}

/* What it counted is not the beginning of a new doubt. */
static void doubt_after_probe_rtt_takes_two_rounds_again(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, false, 0);

	unit_drained_round(sk, 100000);
	unit_drained_round(sk, 100000);
	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_PATH_CHANGE);
	kcc_ca(sk)->window_open = 0;
	unit_round(sk, 200000);
	expect_state(test, sk, CRUISE);
}

/* STARTUP counts rounds of jitter in the same field. */
static void doubt_after_a_noisy_startup_takes_two_rounds(struct kunit *test)
{
	struct sock *sk = unit_flow(test, DRAIN);

	kcc_ca(sk)->high_rounds = 3;
	unit_clock(sk, UNIT_RTT_US);
	unit_ack(sk, UNIT_RTT_US);
	expect_arrow(test, DRAIN, CRUISE, KCC_WHY_DRAINED);
	kcc_ca(sk)->window_open = 0;
	unit_round(sk, UNIT_RTT_US * 17 / 10);
	expect_state(test, sk, CRUISE);
}

static void probe_rtt_keeps_t_without_a_drained_round(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, 0);
	u32 i;

	/* too much in flight for a window */
	tcp_sk(sk)->packets_out = UNIT_BDP;
	for (i = 1; i < KCC_PROBE_RTT_ROUNDS; i++)
		unit_round(sk, 100000);
	expect_no_arrow(test);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), UNIT_RTT_US);
}

static void probe_rtt_times_out(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, KCC_PROBE_RTT_ROUNDS - 2);

	unit_round(sk, 2 * UNIT_RTT_US);
	expect_no_arrow(test);
	unit_round(sk, 2 * UNIT_RTT_US);
	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_TIMEOUT);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), UNIT_RTT_US);
	/* nothing was drained, so nothing is measured */
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_open);
}

static void probe_rtt_measures_from_three_quarters_of_a_bdp(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, true, 0);

	tcp_sk(sk)->packets_out = UNIT_BDP;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->window_open);
	tcp_sk(sk)->packets_out = UNIT_BDP / 2;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_open);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_deep);
}

static void probe_rtt_rates_do_not_count(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, false, 0);
	struct rate_sample rs = unit_sample(sk, UNIT_RTT_US);

	rs.delivered = 2 * UNIT_BDP;
	unit_take(sk, &rs);
	expect_bw_kept(test, sk);
	KUNIT_EXPECT_NE(test, tcp_sk(sk)->app_limited, 0);
}

/* --- idle -------------------------------------------------------------------- */

static void probe_rtt_ends_by_idle(struct kunit *test)
{
	struct sock *sk = probe_rtt_for(test, false, 0);

	tcp_sk(sk)->packets_out = 0;
	tcp_sk(sk)->app_limited = 1;
	kcc_idle_restart(sk);
	expect_arrow(test, PROBE_RTT, CRUISE, KCC_WHY_IDLE);
	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(sk)), kcc_ca(sk)->prior_cwnd);
}

/* The pipe is empty: pace at bw, without a burst, and measure. */
static void idle_restart_cruises_and_measures(struct kunit *test)
{
	static const enum unit_state from[] = { UP, DOWN, CRUISE };
	struct sock *sk;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(from); i++) {
		sk = unit_flow(test, from[i]);
		tcp_sk(sk)->packets_out = 0;
		tcp_sk(sk)->app_limited = 1;
		kcc_ca(sk)->epoch_acked = 1000;
		sk->sk_pacing_rate = ~0UL;
		kcc_idle_restart(sk);
		expect_arrow(test, from[i], CRUISE, KCC_WHY_IDLE);
		KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_open);
		KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->window_deep);
		KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->idle_restart);
		KUNIT_EXPECT_EQ(test, kcc_ca(sk)->epoch_acked, 0);
		KUNIT_EXPECT_EQ(test, (u64)sk->sk_pacing_rate,
				kcc_fp_bytes_per_sec(UNIT_BW, UNIT_MSS, KCC_UNIT));
	}
}

static void idle_restart_needs_an_application_that_paused(struct kunit *test)
{
	struct sock *sk = unit_flow(test, UP);

	kcc_idle_restart(sk);
	expect_no_arrow(test);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->idle_restart);
}

static void idle_restart_goes_on_with_startup_and_drain(struct kunit *test)
{
	static const enum unit_state from[] = { STARTUP, DRAIN };
	struct sock *sk;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(from); i++) {
		sk = unit_flow(test, from[i]);
		tcp_sk(sk)->app_limited = 1;
		kcc_idle_restart(sk);
		expect_no_arrow(test);
		expect_state(test, sk, from[i]);
		KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->idle_restart);
	}
}

static struct kunit_case kcc_probe_rtt_cases[] = {
	KUNIT_CASE(probe_rtt_is_entered_after_two_rounds_of_doubt),
	KUNIT_CASE(probe_rtt_is_entered_from_up),
	KUNIT_CASE(doubt_ends_with_one_low_round),
	KUNIT_CASE(doubt_needs_one_and_a_half_rtts),
	KUNIT_CASE(doubt_allows_for_noise),
	KUNIT_CASE(doubt_allows_for_noise_of_half_an_rtt_at_most),
	KUNIT_CASE(doubt_allows_for_slots_of_8_ms),
	KUNIT_CASE(doubt_is_checked_once_a_cycle),
	KUNIT_CASE(probe_rtt_is_due_after_its_interval),
	KUNIT_CASE(probe_rtt_is_due_after_about_10_s),
	KUNIT_CASE(probe_rtt_waits_for_a_slot),
	KUNIT_CASE(probe_rtt_waits_while_a_window_is_measured),
	KUNIT_CASE(probe_rtt_waits_after_idle),
	KUNIT_CASE(probe_rtt_is_put_off_by_a_drained_round),
	KUNIT_CASE(probe_rtt_is_not_put_off_when_coupled),
	KUNIT_CASE(probe_rtt_is_not_put_off_without_proof),
	KUNIT_CASE(probe_rtt_ends_when_a_drained_round_confirms),
	KUNIT_CASE(probe_rtt_confirmed_after_doubt_lowers_bw),
	KUNIT_CASE(probe_rtt_keeps_t_after_one_drained_round),
	KUNIT_CASE(probe_rtt_accepts_a_path_that_two_drained_rounds_agree_on),
	KUNIT_CASE(probe_rtt_keeps_t_when_two_drained_rounds_do_not_agree),
	KUNIT_CASE(doubt_after_probe_rtt_takes_two_rounds_again),
	KUNIT_CASE(doubt_after_a_noisy_startup_takes_two_rounds),
	KUNIT_CASE(probe_rtt_keeps_t_without_a_drained_round),
	KUNIT_CASE(probe_rtt_times_out),
	KUNIT_CASE(probe_rtt_measures_from_three_quarters_of_a_bdp),
	KUNIT_CASE(probe_rtt_rates_do_not_count),
	KUNIT_CASE(probe_rtt_ends_by_idle),
	KUNIT_CASE(idle_restart_cruises_and_measures),
	KUNIT_CASE(idle_restart_needs_an_application_that_paused),
	KUNIT_CASE(idle_restart_goes_on_with_startup_and_drain),
	{}
};

struct kunit_suite kcc_probe_rtt_suite = {
	.name = "kcc_probe_rtt",
	.suite_init = unit_trace_begin,
	.suite_exit = unit_trace_end,
	.init = unit_case_init,
	.exit = unit_case_exit,
	.test_cases = kcc_probe_rtt_cases,
};
