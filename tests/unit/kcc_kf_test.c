// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_kf: the filter of the propagation delay
 *
 * How far the integers are from real numbers is for kf_reference.c; here every
 * verdict falls and does not fall, and long sequences keep the invariants.
 */
#include <linux/prandom.h>
#include "kcc_unit.h"
#include "../../kcc_kf.c"

#define X_US		40000U
/* The most that a drained sample may lie above X_US and confirm it. */
#define GATE_US		kcc_kf_gate_us(X_US, 0)

static struct kcc_kf kf_at(u32 x_us)
{
	struct kcc_kf kf;

	kcc_kf_init(&kf, x_us);
	return kf;
}

/* The same, with as little doubt as there can be. */
static struct kcc_kf sure_kf_at(u32 x_us)
{
	struct kcc_kf kf = kf_at(x_us);

	kf.p_us2 = kcc_kf_pmin_us2(&kf);
	return kf;
}

/* --- init and predict ---------------------------------------------------- */

static void init_takes_the_rtt(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US);

	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), X_US);
	KUNIT_EXPECT_EQ(test, kf.p_us2, 5000 * 5000);
}

static void init_clamps(struct kunit *test)
{
	struct kcc_kf kf = kf_at(0);

	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), 1);
	KUNIT_EXPECT_GE(test, kf.p_us2, 1);
	kf = kf_at(U32_MAX);
	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), (1U << 28) - 1);
	KUNIT_EXPECT_EQ(test, kf.p_us2, U32_MAX);
}

static void x_us_rounds_to_nearest(struct kunit *test)
{
	struct kcc_kf kf = { .x_us_q4 = (7 << 4) + 7 };

	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), 7);
	kf.x_us_q4++;
	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), 8);
	kf.x_us_q4 = U32_MAX;
	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), 1U << 28);
}

static void predict_grows_and_saturates(struct kunit *test)
{
	struct kcc_kf kf = sure_kf_at(X_US);
	u32 pmax_us2 = kcc_kf_pmax_us2(&kf), last_us2, rounds = 0;

	while (kf.p_us2 < pmax_us2 && rounds < 1000) {
		last_us2 = kf.p_us2;
		kcc_kf_predict(&kf);
		KUNIT_ASSERT_GT(test, kf.p_us2, last_us2);
		rounds++;
	}
	/* 1 - 1/64 of the way in steps of 1/128 */
	KUNIT_EXPECT_GE(test, rounds, 120);
	KUNIT_EXPECT_LE(test, rounds, 130);
	kcc_kf_predict(&kf);
	KUNIT_EXPECT_EQ(test, kf.p_us2, pmax_us2);
	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), X_US);
}

static void predict_saturates_at_the_largest_rtt(struct kunit *test)
{
	struct kcc_kf kf = kf_at(U32_MAX);

	kcc_kf_predict(&kf);
	KUNIT_EXPECT_EQ(test, kf.p_us2, U32_MAX);
}

/* --- verdicts ------------------------------------------------------------ */

static void update_falls_at_once(struct kunit *test)
{
	struct kcc_kf kf = sure_kf_at(X_US);

	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US - 1, 0, false, false),
			KCC_KF_FELL);
	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), X_US - 1);
	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US / 2, 0, false, false),
			KCC_KF_FELL);
	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), X_US / 2);
}

static void update_equal_is_an_upper_bound_too(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US);

	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US, 0, false, false),
			KCC_KF_FELL);
	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), X_US);
}

static void update_falls_when_drained_and_confirms(struct kunit *test)
{
	struct kcc_kf kf = sure_kf_at(X_US);

	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US - 100, 0, true, false),
			KCC_KF_CONFIRMED);
	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), X_US - 100);
}

static void update_rejects_longer_not_drained(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US), before = kf;

	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US + 1, 0, false, false),
			KCC_KF_REJECTED);
	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US + 1, X_US, false, true),
			KCC_KF_REJECTED);
	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, U32_MAX, 0, false, false),
			KCC_KF_REJECTED);
	KUNIT_EXPECT_MEMEQ(test, &kf, &before, sizeof(kf));
}

static void update_confirms_up_to_the_gate(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US);

	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US + GATE_US, 0, true, false),
			KCC_KF_CONFIRMED);
	/* without certainty it moves nearly all of the way, never beyond */
	KUNIT_EXPECT_GT(test, kcc_kf_x_us(&kf), X_US + GATE_US / 2);
	KUNIT_EXPECT_LE(test, kcc_kf_x_us(&kf), X_US + GATE_US);
}

static void update_disagrees_beyond_the_gate(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US), before = kf;

	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US + GATE_US + 1, 0, true, false),
			KCC_KF_DISAGREED);
	KUNIT_EXPECT_MEMEQ(test, &kf, &before, sizeof(kf));
}

static void update_gate_widens_with_noise(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US);

	KUNIT_EXPECT_EQ(test, kcc_kf_gate_us(X_US, 700) - GATE_US, 700);
	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US + GATE_US + 701, 700, true,
					    false),
			KCC_KF_DISAGREED);
	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US + GATE_US + 700, 700, true,
					    false),
			KCC_KF_CONFIRMED);
}

static void update_noise_slows_the_step(struct kunit *test)
{
	struct kcc_kf quiet = kf_at(X_US), noisy = quiet;

	kcc_kf_update(&quiet, X_US + 1000, 0, true, false);
	kcc_kf_update(&noisy, X_US + 1000, 10000, true, false);
	KUNIT_EXPECT_LT(test, noisy.x_us_q4, quiet.x_us_q4);
	KUNIT_EXPECT_GT(test, noisy.x_us_q4, X_US << 4);
	KUNIT_EXPECT_GT(test, noisy.p_us2, quiet.p_us2);
}

static void update_certainty_slows_the_step(struct kunit *test)
{
	struct kcc_kf unsure = kf_at(X_US), sure = sure_kf_at(X_US);

	kcc_kf_update(&unsure, X_US + 1000, 0, true, false);
	kcc_kf_update(&sure, X_US + 1000, 0, true, false);
	KUNIT_EXPECT_LT(test, sure.x_us_q4, unsure.x_us_q4);
	KUNIT_EXPECT_GT(test, sure.x_us_q4, X_US << 4);
}

static void update_outlier_waits_for_a_witness(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US), before = kf;

	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US / 2 - 1, 0, false, false),
			KCC_KF_OUTLIER);
	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US / 2 - 1, 0, true, false),
			KCC_KF_OUTLIER);
	KUNIT_EXPECT_MEMEQ(test, &kf, &before, sizeof(kf));
}

static void update_outlier_with_a_witness_falls(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US);

	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, X_US / 4, 0, false, true),
			KCC_KF_FELL);
	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), X_US / 4);
	kf = kf_at(X_US);
	KUNIT_EXPECT_EQ(test, kcc_kf_update(&kf, 1, 0, true, true),
			KCC_KF_CONFIRMED);
	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), 1);
}

/* An upper bound must not raise the estimate, not by a rounding either. */
static void update_not_drained_never_raises_a_fraction(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US);
	u32 before_q4;

	kf.x_us_q4 += 8;
	before_q4 = kf.x_us_q4;
	kcc_kf_update(&kf, X_US + 1, 0, false, false);
	KUNIT_EXPECT_LE(test, kf.x_us_q4, before_q4);
}

/* A sample is a u32; a path of minutes must not turn into one of nothing. */
static void update_saturates_at_the_largest_rtt(struct kunit *test)
{
	struct kcc_kf kf = kf_at(U32_MAX);
	u32 x_us = kcc_kf_x_us(&kf);

	/* the larger step without noise, the wider gate with it */
	kcc_kf_update(&kf, x_us + kcc_kf_gate_us(x_us, 0), 0, true, false);
	KUNIT_EXPECT_GE(test, kcc_kf_x_us(&kf), x_us);
	kf = kf_at(U32_MAX);
	kcc_kf_update(&kf, x_us + kcc_kf_gate_us(x_us, x_us), x_us, true, false);
	KUNIT_EXPECT_GE(test, kcc_kf_x_us(&kf), x_us);
}

/* --- confidence and recalibration ----------------------------------------- */

static void confidence_reaches_both_ends(struct kunit *test)
{
	static const u32 rtts_us[] = { 250, 1000, X_US, 600000, 4000000 };
	u32 rounds, x_us;
	struct kcc_kf kf;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rtts_us); i++) {
		x_us = rtts_us[i];
		kf = kf_at(x_us);
		KUNIT_EXPECT_EQ(test, kcc_kf_confidence(&kf), 0);
		for (rounds = 0; kcc_kf_confidence(&kf) < KCC_UNIT && rounds < 100; rounds++)
			kcc_kf_update(&kf, x_us, 0, true, false);
		KUNIT_EXPECT_EQ_MSG(test, kcc_kf_confidence(&kf), KCC_UNIT, "%u us", x_us);
		for (rounds = 0; kcc_kf_confidence(&kf) && rounds < 1000; rounds++)
			kcc_kf_predict(&kf);
		KUNIT_EXPECT_EQ_MSG(test, kcc_kf_confidence(&kf), 0, "%u us", x_us);
	}
}

/* Every cycle of 10 to 28 rounds should bring a drained one. */
static void confidence_stays_high_while_cycles_confirm(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US);
	u32 round;

	for (round = 1; round <= 20 * 28; round++) {
		kcc_kf_predict(&kf);
		kcc_kf_update(&kf, X_US + (round % 28 ? 1000 : 0), 0,
			      round % 28 == 0, false);
	}
	KUNIT_EXPECT_GT(test, kcc_kf_confidence(&kf), KCC_UNIT * 3 / 4);
	KUNIT_EXPECT_FALSE(test, kcc_kf_wants_recalibration(&kf));
}

static void confidence_falls_with_variance(struct kunit *test)
{
	struct kcc_kf kf = sure_kf_at(X_US);
	u32 last = KCC_UNIT + 1, i;

	for (i = 0; i < 8; i++) {
		KUNIT_EXPECT_LT(test, kcc_kf_confidence(&kf), last);
		last = kcc_kf_confidence(&kf);
		kf.p_us2 += kcc_kf_pmax_us2(&kf) / 8;
	}
}

static void recalibration_is_wanted_when_new(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US);

	KUNIT_EXPECT_TRUE(test, kcc_kf_wants_recalibration(&kf));
}

static void recalibration_is_wanted_after_60_rounds(struct kunit *test)
{
	struct kcc_kf kf = sure_kf_at(X_US);
	u32 rounds;

	for (rounds = 0; !kcc_kf_wants_recalibration(&kf) && rounds < 1000; rounds++)
		kcc_kf_predict(&kf);
	KUNIT_EXPECT_GE(test, rounds, 55);
	KUNIT_EXPECT_LE(test, rounds, 65);
}

static void recalibration_is_answered_by_a_confirmation(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US);

	kcc_kf_update(&kf, X_US + 100, 0, true, false);
	KUNIT_EXPECT_FALSE(test, kcc_kf_wants_recalibration(&kf));
}

static void recalibration_is_not_answered_by_a_rejection(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US);

	kcc_kf_update(&kf, X_US + 100, 0, false, false);
	KUNIT_EXPECT_TRUE(test, kcc_kf_wants_recalibration(&kf));
	kcc_kf_update(&kf, X_US * 2, 0, true, false);
	KUNIT_EXPECT_TRUE(test, kcc_kf_wants_recalibration(&kf));
}

/* --- sequences ------------------------------------------------------------ */

/* A path that moves a little, up and down: the estimate follows it. */
static void sequence_follows_a_path_that_grows(struct kunit *test)
{
	struct kcc_kf kf = kf_at(X_US);
	u32 round, path_us = X_US;

	for (round = 0; round < 400; round++) {
		path_us += 100;
		kcc_kf_predict(&kf);
		KUNIT_ASSERT_EQ(test, kcc_kf_update(&kf, path_us, 0, true, false),
				KCC_KF_CONFIRMED);
	}
	KUNIT_EXPECT_LE(test, kcc_kf_x_us(&kf), path_us);
	KUNIT_EXPECT_GT(test, kcc_kf_x_us(&kf), path_us - path_us / 50);
}

/* A queue that grows smoothly, 1 us a round for ever, is not absorbed. */
static void sequence_of_a_growing_queue_does_not_raise_x(struct kunit *test)
{
	struct kcc_kf kf = sure_kf_at(X_US);
	u32 round;

	for (round = 1; round < 10000; round++) {
		kcc_kf_predict(&kf);
		kcc_kf_update(&kf, X_US + round, 0, false, false);
	}
	KUNIT_EXPECT_EQ(test, kcc_kf_x_us(&kf), X_US);
}

static void sequence_never_rises_above_drained_samples(struct kunit *test)
{
	struct rnd_state rnd;
	struct kcc_kf kf;
	u32 i, z_us, highest_us;
	bool drained;

	prandom_seed_state(&rnd, 1);
	kf = kf_at(X_US);
	highest_us = X_US;
	for (i = 0; i < 20000; i++) {
		z_us = X_US - 1000 + prandom_u32_state(&rnd) % 6000;
		drained = prandom_u32_state(&rnd) % 4 == 0;
		if (drained)
			highest_us = max(highest_us, z_us);
		kcc_kf_predict(&kf);
		kcc_kf_update(&kf, z_us, prandom_u32_state(&rnd) % 2000, drained,
			      false);
		KUNIT_ASSERT_LE(test, kf.x_us_q4, highest_us << 4);
	}
}

static void expect_invariants(struct kunit *test, const struct kcc_kf *before,
			      const struct kcc_kf *kf, u32 z_us, u32 noise_us,
			      enum kcc_kf_verdict verdict)
{
	u32 x_us = kcc_kf_x_us(before);

	KUNIT_ASSERT_GE(test, kf->p_us2, 1);
	KUNIT_ASSERT_GE(test, kf->x_us_q4, 16);
	KUNIT_ASSERT_LE(test, kcc_kf_confidence(kf), KCC_UNIT);
	/* P never grows in an update, unless x moves its floor */
	KUNIT_ASSERT_LE(test, kf->p_us2, max(before->p_us2, kcc_kf_pmin_us2(kf)));
	switch (verdict) {
	case KCC_KF_FELL:
		KUNIT_ASSERT_GE(test, kf->p_us2, kcc_kf_pmin_us2(kf));
		KUNIT_ASSERT_EQ(test, kcc_kf_x_us(kf), z_us);
		KUNIT_ASSERT_LE(test, kcc_kf_x_us(kf), x_us);
		break;
	case KCC_KF_CONFIRMED:
		KUNIT_ASSERT_GE(test, kf->p_us2, kcc_kf_pmin_us2(kf));
		/* between what was believed and what was seen */
		KUNIT_ASSERT_GE(test, kcc_kf_x_us(kf), min(x_us, z_us));
		KUNIT_ASSERT_LE(test, kcc_kf_x_us(kf), max(x_us, z_us));
		KUNIT_ASSERT_LE(test, kcc_kf_x_us(kf),
				x_us + kcc_kf_gate_us(x_us, noise_us));
		break;
	default:
		KUNIT_ASSERT_MEMEQ(test, kf, before, sizeof(*kf));
		break;
	}
}

static void sequence_of_anything_keeps_the_invariants(struct kunit *test)
{
	u32 i, start, z_us, noise_us, seen = 0;
	enum kcc_kf_verdict verdict;
	struct kcc_kf kf, before;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 2);
	/* from loopback to 20 s */
	for (start = 0; start < 25; start++) {
		kf = kf_at(1U << start);
		for (i = 0; i < 4000; i++) {
			/* mostly near x; sometimes anything at all below 60 s */
			z_us = prandom_u32_state(&rnd) % (kcc_kf_x_us(&kf) * 5 / 2) + 1;
			if (prandom_u32_state(&rnd) % 64 == 0)
				z_us = prandom_u32_state(&rnd) % 60000000 + 1;
			noise_us = prandom_u32_state(&rnd) % (kcc_kf_x_us(&kf) / 4 + 1);
			kcc_kf_predict(&kf);
			before = kf;
			verdict = kcc_kf_update(&kf, z_us, noise_us,
						prandom_u32_state(&rnd) % 2,
						prandom_u32_state(&rnd) % 8 == 0);
			expect_invariants(test, &before, &kf, z_us, noise_us, verdict);
			seen |= BIT(verdict);
			/* come back from where chance has led */
			if (i % 200 == 0)
				kf = kf_at(1U << start);
		}
	}
	KUNIT_EXPECT_EQ(test, seen, BIT(KCC_KF_DISAGREED + 1) - 1);
}

static struct kunit_case kcc_kf_cases[] = {
	KUNIT_CASE(init_takes_the_rtt),
	KUNIT_CASE(init_clamps),
	KUNIT_CASE(x_us_rounds_to_nearest),
	KUNIT_CASE(predict_grows_and_saturates),
	KUNIT_CASE(predict_saturates_at_the_largest_rtt),
	KUNIT_CASE(update_falls_at_once),
	KUNIT_CASE(update_equal_is_an_upper_bound_too),
	KUNIT_CASE(update_falls_when_drained_and_confirms),
	KUNIT_CASE(update_rejects_longer_not_drained),
	KUNIT_CASE(update_confirms_up_to_the_gate),
	KUNIT_CASE(update_disagrees_beyond_the_gate),
	KUNIT_CASE(update_gate_widens_with_noise),
	KUNIT_CASE(update_noise_slows_the_step),
	KUNIT_CASE(update_certainty_slows_the_step),
	KUNIT_CASE(update_outlier_waits_for_a_witness),
	KUNIT_CASE(update_outlier_with_a_witness_falls),
	KUNIT_CASE(update_not_drained_never_raises_a_fraction),
	KUNIT_CASE(update_saturates_at_the_largest_rtt),
	KUNIT_CASE(confidence_reaches_both_ends),
	KUNIT_CASE(confidence_stays_high_while_cycles_confirm),
	KUNIT_CASE(confidence_falls_with_variance),
	KUNIT_CASE(recalibration_is_wanted_when_new),
	KUNIT_CASE(recalibration_is_wanted_after_60_rounds),
	KUNIT_CASE(recalibration_is_answered_by_a_confirmation),
	KUNIT_CASE(recalibration_is_not_answered_by_a_rejection),
	KUNIT_CASE(sequence_follows_a_path_that_grows),
	KUNIT_CASE(sequence_of_a_growing_queue_does_not_raise_x),
	KUNIT_CASE(sequence_never_rises_above_drained_samples),
	KUNIT_CASE(sequence_of_anything_keeps_the_invariants),
	{}
};

struct kunit_suite kcc_kf_suite = {
	.name = "kcc_kf",
	.test_cases = kcc_kf_cases,
};
