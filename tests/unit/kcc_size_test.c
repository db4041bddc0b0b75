// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_size: what lies in the socket's 104 bytes */
#include "kcc.h"
#include "kcc_unit.h"

static void kcc_fits_every_kernel(struct kunit *test)
{
	/* 104 bytes in every kernel since 4.19; some have more */
	KUNIT_EXPECT_LE(test, sizeof(struct kcc), 104);
	KUNIT_EXPECT_LE(test, sizeof(struct kcc), ICSK_CA_PRIV_SIZE);
}

static void kf_is_8_bytes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sizeof(struct kcc_kf), 8);
}

/* The bit-fields hold the largest value that the code gives them. */
static void fields_hold_their_range(struct kunit *test)
{
	struct kcc kcc = {
		.mode = KCC_PROBE_RTT,
		.phase = KCC_NO_PHASE,
		.prev_phase = KCC_NO_PHASE,
		.acc_phase = KCC_NO_PHASE,
		.prev_ca_state = TCP_CA_Loss,
		.noisy_rounds = 7,
		.acc_full = U8_MAX,
	};

	KUNIT_EXPECT_EQ(test, (u32)kcc.mode, KCC_PROBE_RTT);
	KUNIT_EXPECT_EQ(test, (u32)kcc.phase, KCC_NO_PHASE);
	KUNIT_EXPECT_EQ(test, (u32)kcc.prev_phase, KCC_NO_PHASE);
	KUNIT_EXPECT_EQ(test, (u32)kcc.acc_phase, KCC_NO_PHASE);
	KUNIT_EXPECT_EQ(test, (u32)kcc.prev_ca_state, TCP_CA_Loss);
	KUNIT_EXPECT_EQ(test, (u32)kcc.noisy_rounds, 7);
	KUNIT_EXPECT_EQ(test, (u32)kcc.acc_full, U8_MAX);
}

static struct kunit_case kcc_size_cases[] = {
	KUNIT_CASE(kcc_fits_every_kernel),
	KUNIT_CASE(kf_is_8_bytes),
	KUNIT_CASE(fields_hold_their_range),
	{}
};

struct kunit_suite kcc_size_suite = {
	.name = "kcc_size",
	.test_cases = kcc_size_cases,
};
