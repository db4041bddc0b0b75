// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_noise: how far RTTs spread, when that is jitter, and what depends on it
 *
 * Included by kcc_model_test.c.
 */

/* --- noise -------------------------------------------------------------------- */

static void noise_is_twice_the_mean_deviation(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	tcp_sk(sk)->mdev_us = 4 * 300;
	KUNIT_EXPECT_EQ(test, kcc_noise_us(sk), 600);
	KUNIT_EXPECT_EQ(test, take_round(sk, UNIT_RTT_US).noise_us, 600);
}

/* Jitter holds minimum and average apart; a standing queue moves both. */
static void noise_of_a_round_is_how_far_it_spreads(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	tcp_sk(sk)->mdev_us = 4 * 300;
	tcp_sk(sk)->srtt_us = (UNIT_RTT_US + 2000) << 3;
	KUNIT_EXPECT_EQ(test, take_round(sk, UNIT_RTT_US).noise_us, 2000);
	KUNIT_EXPECT_EQ(test, take_round(sk, UNIT_RTT_US + 2000).noise_us, 600);
	KUNIT_EXPECT_EQ(test, take_round(sk, UNIT_RTT_US + 5000).noise_us, 600);
}

/* The deviation forgets within one burst of ACKs; the longest delay does not. */
static void noise_of_jitter_is_half_of_the_longest_delay(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	tcp_sk(sk)->mdev_us = 4 * 300;
	kcc->delay_max_q = 16000 >> 4;
	kcc->noisy_rounds = KCC_JITTERY_ROUNDS - 1;
	KUNIT_EXPECT_EQ(test, kcc_noise_us(sk), 600);
	kcc->noisy_rounds = KCC_JITTERY_ROUNDS;
	KUNIT_EXPECT_EQ(test, kcc_noise_us(sk), 8000);
	/* at least */
	tcp_sk(sk)->mdev_us = 4 * 5000;
	KUNIT_EXPECT_EQ(test, kcc_noise_us(sk), 10000);
	kcc->delay_max_q = U16_MAX;
	KUNIT_EXPECT_EQ(test, kcc_noise_us(sk), (U16_MAX << 4) / 2);
}

/* Ends a round whose RTTs spread so far. */
static void take_spread(struct sock *sk, u32 spread_us)
{
	tcp_sk(sk)->srtt_us = (UNIT_RTT_US + spread_us) << 3;
	take_round(sk, UNIT_RTT_US);
}

/* --- noisy rounds and jitter -------------------------------------------------- */

static void noisy_is_a_round_that_spreads_far(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	kcc_ca(sk)->rounds = 2;
	take_spread(sk, UNIT_RTT_US >> KCC_NOISY_SHIFT);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->noisy);
	take_spread(sk, (UNIT_RTT_US >> KCC_NOISY_SHIFT) + 1);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->noisy);
	take_spread(sk, 0);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->noisy);
}

/* A drain lets RTTs fall, and the first round of CRUISE still has its ACKs. */
static void noisy_is_judged_from_the_second_round_of_cruise(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	take_spread(sk, UNIT_RTT_US);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->noisy);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->noisy_rounds, 0);
	take_spread(sk, UNIT_RTT_US);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->noisy);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->noisy_rounds, 1);
}

/* Elsewhere what was known stays, whatever the round is like. */
static void noisy_is_not_judged_where_a_queue_is_made_or_drained(struct kunit *test)
{
	static const struct {
		enum kcc_mode mode;
		enum kcc_phase phase;
	} states[] = {
		{ KCC_DRAIN, KCC_NO_PHASE },
		{ KCC_PROBE_BW, KCC_UP },
		{ KCC_PROBE_BW, KCC_DOWN },
		{ KCC_PROBE_RTT, KCC_NO_PHASE },
	};
	struct sock *sk;
	struct kcc *kcc;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		sk = model_flow(test);
		kcc = kcc_ca(sk);
		kcc->mode = states[i].mode;
		kcc->phase = states[i].phase;
		kcc->rounds = 3;
		take_spread(sk, UNIT_RTT_US);
		KUNIT_EXPECT_FALSE(test, kcc->noisy);
		KUNIT_EXPECT_EQ(test, (u32)kcc->noisy_rounds, 0);
		kcc->noisy = 1;
		kcc->noisy_rounds = 4;
		take_spread(sk, 0);
		KUNIT_EXPECT_TRUE(test, kcc->noisy);
		KUNIT_EXPECT_EQ(test, (u32)kcc->noisy_rounds, 4);
	}
}

static void noisy_rounds_are_counted_in_startup(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);
	u32 i;

	kcc->rounds = 2;
	take_spread(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, (u32)kcc->high_rounds, 0);
	kcc->mode = KCC_STARTUP;
	kcc->phase = KCC_NO_PHASE;
	kcc->rounds = 0;
	for (i = 1; i < 8; i++) {
		take_spread(sk, UNIT_RTT_US);
		KUNIT_EXPECT_EQ(test, (u32)kcc->high_rounds, min(i, 3U));
	}
	take_spread(sk, 0);
	KUNIT_EXPECT_EQ(test, (u32)kcc->high_rounds, 0);
}

static void jitter_is_five_noisy_rounds_in_a_row(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);
	u32 i;

	kcc->rounds = 2;
	for (i = 1; i < KCC_JITTERY_ROUNDS; i++)
		take_spread(sk, UNIT_RTT_US);
	KUNIT_EXPECT_FALSE(test, kcc_is_jittery(kcc));
	/* one that is calm, and they begin anew */
	take_spread(sk, 0);
	KUNIT_EXPECT_EQ(test, (u32)kcc->noisy_rounds, 0);
	for (i = 1; i < KCC_JITTERY_ROUNDS; i++)
		take_spread(sk, UNIT_RTT_US);
	KUNIT_EXPECT_FALSE(test, kcc_is_jittery(kcc));
	take_spread(sk, UNIT_RTT_US);
	KUNIT_EXPECT_TRUE(test, kcc_is_jittery(kcc));
	/* however long it lasts */
	for (i = 0; i < 20; i++) {
		take_spread(sk, UNIT_RTT_US);
		KUNIT_EXPECT_TRUE(test, kcc_is_jittery(kcc));
	}
	take_spread(sk, 0);
	KUNIT_EXPECT_FALSE(test, kcc_is_jittery(kcc));
	KUNIT_EXPECT_EQ(test, KCC_JITTERY_ROUNDS, 5);
}

/* The queue of the first STARTUP spreads RTTs for as long as it grows. */
static void jitter_is_not_known_before_the_pipe_was_full(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->noisy_rounds = 7;
	KUNIT_EXPECT_TRUE(test, kcc_is_jittery(kcc));
	kcc->full_pipe = 0;
	KUNIT_EXPECT_FALSE(test, kcc_is_jittery(kcc));
}

/* --- gate of a drained round -------------------------------------------------- */

/* What the filter says to a drained round so far above T. */
static enum kcc_kf_verdict gate(struct kunit *test, u32 above_us, u32 noise_us, bool noisy)
{
	struct sock *sk = model_flow(test);

	tcp_sk(sk)->mdev_us = noise_us << 1;
	kcc_ca(sk)->noisy = noisy;
	return take_drained_round(sk, UNIT_RTT_US + above_us, true).verdict;
}

static void gate_of_a_calm_path_takes_little_noise(struct kunit *test)
{
	u32 own_us = kcc_kf_gate_us(UNIT_RTT_US, 0), calm_us = UNIT_RTT_US / 32;

	/* all of it, as long as it is little */
	KUNIT_EXPECT_EQ(test, gate(test, own_us + 600, 600, false), KCC_KF_CONFIRMED);
	KUNIT_EXPECT_EQ(test, gate(test, own_us + 601, 600, false), KCC_KF_DISAGREED);
	KUNIT_EXPECT_EQ(test, gate(test, own_us + calm_us, 8000, false), KCC_KF_CONFIRMED);
	KUNIT_EXPECT_EQ(test, gate(test, own_us + calm_us + 1, 8000, false),
			KCC_KF_DISAGREED);
}

static void gate_of_a_noisy_path_takes_all_noise(struct kunit *test)
{
	u32 own_us = kcc_kf_gate_us(UNIT_RTT_US, 0);

	KUNIT_EXPECT_EQ(test, gate(test, own_us + 8000, 8000, true), KCC_KF_CONFIRMED);
	KUNIT_EXPECT_EQ(test, gate(test, own_us + 8001, 8000, true), KCC_KF_DISAGREED);
}

/* --- two drained rounds that disagree with T ----------------------------------- */

static void disagreement_of_two_rounds_alike_is_told(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc_ack ack = take_drained_round(sk, 61000, true);

	KUNIT_EXPECT_EQ(test, ack.verdict, KCC_KF_DISAGREED);
	KUNIT_EXPECT_EQ(test, ack.agreed_us, 0);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->disagreed_us, 61000);
	ack = take_drained_round(sk, 60000, true);
	KUNIT_EXPECT_EQ(test, ack.agreed_us, 60000);
	KUNIT_EXPECT_EQ(test, ack.apart_us, 1000);
	ack = take_drained_round(sk, 62000, true);
	KUNIT_EXPECT_EQ(test, ack.agreed_us, 60000);
	KUNIT_EXPECT_EQ(test, ack.apart_us, 2000);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->disagreed_us, 62000);
}

static void disagreement_needs_rounds_that_are_alike(struct kunit *test)
{
	u32 apart_us = kcc_kf_gate_us(UNIT_RTT_US, 0) + KCC_THETA_MIN_US;
	struct sock *sk = model_flow(test);

	take_drained_round(sk, 60000, true);
	KUNIT_EXPECT_EQ(test, take_drained_round(sk, 60000 + apart_us + 1, true).agreed_us, 0);
	/* the last one counts, be it larger or smaller */
	KUNIT_EXPECT_EQ(test, take_drained_round(sk, 60000, true).agreed_us, 0);
	KUNIT_EXPECT_EQ(test, take_drained_round(sk, 60000 + apart_us, true).agreed_us, 60000);
	/* noise may hold them further apart */
	tcp_sk(sk)->mdev_us = 2000 << 1;
	KUNIT_EXPECT_EQ(test, take_drained_round(sk, 60000 - 2000, true).agreed_us, 58000);
	KUNIT_EXPECT_EQ(test, take_drained_round(sk, 58000 + apart_us + 2001, true).agreed_us,
			0);
}

static void disagreement_ends_with_a_confirmation(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	take_drained_round(sk, 60000, true);
	take_drained_round(sk, UNIT_RTT_US, true);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->disagreed_us, 0);
	KUNIT_EXPECT_EQ(test, take_drained_round(sk, 60000, true).agreed_us, 0);
}

static void disagreement_needs_drained_rounds(struct kunit *test)
{
	struct sock *sk = model_flow(test);

	KUNIT_EXPECT_EQ(test, take_round(sk, 60000).agreed_us, 0);
	KUNIT_EXPECT_EQ(test, take_round(sk, 60000).agreed_us, 0);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->disagreed_us, 0);
}

/* It is kept in 28 bits, 268 s. */
static void disagreement_saturates(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	take_drained_round(sk, BIT(28) - 2, true);
	KUNIT_EXPECT_EQ(test, (u32)kcc->disagreed_us, BIT(28) - 2);
	take_drained_round(sk, BIT(28) + 5, true);
	KUNIT_EXPECT_EQ(test, (u32)kcc->disagreed_us, BIT(28) - 1);
	KUNIT_EXPECT_FALSE(test, kcc->foreign);
	KUNIT_EXPECT_FALSE(test, kcc->suspect);
}

/* CRUISE neither finds a queue of others nor takes its end for granted: other
 * flows may have drained, or not, by accident.
 */
static void disagreement_in_cruise_says_nothing_of_others(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);
	u32 i;

	for (i = 0; i < 4; i++)
		take_drained_round(sk, 3 * UNIT_RTT_US, true);
	KUNIT_EXPECT_FALSE(test, kcc->foreign);
	KUNIT_EXPECT_FALSE(test, kcc->suspect);
	kcc->foreign = 2;
	kcc->suspect = 1;
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, take_drained_round(sk, UNIT_RTT_US, true).verdict,
				KCC_KF_CONFIRMED);
	KUNIT_EXPECT_EQ(test, (u32)kcc->foreign, 2);
	KUNIT_EXPECT_TRUE(test, kcc->suspect);
}

/* --- ACK aggregation ---------------------------------------------------------- */

static void aggregation_counts_for_two_cycles_and_one_bdp(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->extra_acked[0] = 100;
	KUNIT_EXPECT_EQ(test, kcc_extra_acked_pkts(sk), 100);
	kcc_rotate_bw(kcc);
	KUNIT_EXPECT_EQ(test, kcc_extra_acked_pkts(sk), 100);
	kcc->bw_max[0] = UNIT_BW;
	kcc_rotate_bw(kcc);
	KUNIT_EXPECT_EQ(test, kcc_extra_acked_pkts(sk), 0);
	kcc->extra_acked[0] = 3 * UNIT_BDP;
	KUNIT_EXPECT_EQ(test, kcc_extra_acked_pkts(sk), UNIT_BDP);
}

/* A path of 1 ms with ACKs in slots of 20 ms needs twenty BDP. */
static void aggregation_of_jitter_counts_for_as_long_as_it_lasts(struct kunit *test)
{
	struct sock *sk = model_flow(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->extra_acked[0] = 10 * UNIT_BDP;
	kcc->delay_max_q = 2 * UNIT_RTT_US >> 4;
	kcc->noisy_rounds = KCC_JITTERY_ROUNDS - 1;
	KUNIT_EXPECT_EQ(test, kcc_extra_acked_pkts(sk), UNIT_BDP);
	kcc->noisy_rounds = KCC_JITTERY_ROUNDS;
	KUNIT_EXPECT_EQ(test, kcc_extra_acked_pkts(sk), 2 * UNIT_BDP);
	/* not less than one, and not more than there were */
	kcc->delay_max_q = UNIT_RTT_US / 2 >> 4;
	KUNIT_EXPECT_EQ(test, kcc_extra_acked_pkts(sk), UNIT_BDP);
	kcc->delay_max_q = 2 * UNIT_RTT_US >> 4;
	kcc->extra_acked[0] = UNIT_BDP + 7;
	KUNIT_EXPECT_EQ(test, kcc_extra_acked_pkts(sk), UNIT_BDP + 7);
}

static void aggregation_without_an_rtt_is_the_initial_window_at_most(struct kunit *test)
{
	struct sock *sk = unit_sock(test);

	unit_init(sk);
	kcc_ca(sk)->extra_acked[0] = TCP_INIT_CWND - 1;
	KUNIT_EXPECT_EQ(test, kcc_extra_acked_pkts(sk), TCP_INIT_CWND - 1);
	kcc_ca(sk)->extra_acked[0] = 1000;
	KUNIT_EXPECT_EQ(test, kcc_extra_acked_pkts(sk), TCP_INIT_CWND);
}

static struct kunit_case kcc_noise_cases[] = {
	KUNIT_CASE(noise_is_twice_the_mean_deviation),
	KUNIT_CASE(noise_of_a_round_is_how_far_it_spreads),
	KUNIT_CASE(noise_of_jitter_is_half_of_the_longest_delay),
	KUNIT_CASE(noisy_is_a_round_that_spreads_far),
	KUNIT_CASE(noisy_is_judged_from_the_second_round_of_cruise),
	KUNIT_CASE(noisy_is_not_judged_where_a_queue_is_made_or_drained),
	KUNIT_CASE(noisy_rounds_are_counted_in_startup),
	KUNIT_CASE(jitter_is_five_noisy_rounds_in_a_row),
	KUNIT_CASE(jitter_is_not_known_before_the_pipe_was_full),
	KUNIT_CASE(gate_of_a_calm_path_takes_little_noise),
	KUNIT_CASE(gate_of_a_noisy_path_takes_all_noise),
	KUNIT_CASE(disagreement_of_two_rounds_alike_is_told),
	KUNIT_CASE(disagreement_needs_rounds_that_are_alike),
	KUNIT_CASE(disagreement_ends_with_a_confirmation),
	KUNIT_CASE(disagreement_needs_drained_rounds),
	KUNIT_CASE(disagreement_saturates),
	KUNIT_CASE(disagreement_in_cruise_says_nothing_of_others),
	KUNIT_CASE(aggregation_counts_for_two_cycles_and_one_bdp),
	KUNIT_CASE(aggregation_of_jitter_counts_for_as_long_as_it_lasts),
	KUNIT_CASE(aggregation_without_an_rtt_is_the_initial_window_at_most),
	{}
};

struct kunit_suite kcc_noise_suite = {
	.name = "kcc_noise",
	.test_cases = kcc_noise_cases,
};
