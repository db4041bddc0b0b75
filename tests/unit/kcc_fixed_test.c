// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_fixed: the helpers of kcc_fixed.h
 *
 * Range that must hold: 100 kbit/s to 400 Gbit/s, 1 us to 10 s, segments of 536
 * to 65483 bytes, gains to 4.0.  Beyond it results saturate; they never wrap.
 */
#include "kcc_fixed.h"
#include "kcc_unit.h"

#define GBIT		1000000000ULL
#define MSS_MIN		536U
#define MSS_MAX		65483U
#define GAIN_MAX	1023U
#define RTT_MAX_US	(10 * USEC_PER_SEC)

/* Rate as the module knows it: packets in 10 s of so many bits/s. */
static u32 bw_of(u64 bits_per_sec, u32 mss)
{
	return kcc_fp_bw(div_u64(bits_per_sec * 10, mss * 8), 10 * USEC_PER_SEC);
}

static void bw_one_packet_per_us(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_fp_bw(1, 1), KCC_BW_UNIT);
	KUNIT_EXPECT_EQ(test, kcc_fp_bw(1000, 4000), KCC_BW_UNIT / 4);
}

static void bw_rounds_down(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_fp_bw(1, 3), KCC_BW_UNIT / 3);
	KUNIT_EXPECT_EQ(test, kcc_fp_bw(1, KCC_BW_UNIT + 1), 0);
}

static void bw_smallest_step_is_one_packet_in_17_s(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_fp_bw(1, KCC_BW_UNIT), 1);
	KUNIT_EXPECT_EQ(test, kcc_fp_bw(0, 1), 0);
}

static void bw_saturates(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_fp_bw(255, 1), 255U << KCC_BW_SCALE);
	KUNIT_EXPECT_EQ(test, kcc_fp_bw(256, 1), U32_MAX);
	KUNIT_EXPECT_EQ(test, kcc_fp_bw(U32_MAX, 1), U32_MAX);
	KUNIT_EXPECT_EQ(test, kcc_fp_bw(U32_MAX, U32_MAX), KCC_BW_UNIT);
}

static void bw_of_400_gbit_fits(struct kunit *test)
{
	u32 bw = bw_of(400 * GBIT, 1500);

	/* 33.3 packets/us */
	KUNIT_EXPECT_EQ(test, bw >> KCC_BW_SCALE, 33);
	KUNIT_EXPECT_LT(test, bw, U32_MAX);
}

/* The helpers that follow are inverse to kcc_fp_bw() within one step of bw. */
static void expect_rate(struct kunit *test, u64 bits_per_sec, u32 mss)
{
	u32 bw = bw_of(bits_per_sec, mss);
	u64 bytes = kcc_fp_bytes_per_sec(bw, mss, KCC_UNIT);
	u64 step = div_u64((u64)mss * USEC_PER_SEC, KCC_BW_UNIT) + 1;
	u64 exact = bits_per_sec / 8;

	/* one packet in 10 s, one step of bw, and 256 bytes/s << BW_SCALE */
	KUNIT_EXPECT_LE(test, bytes, exact);
	KUNIT_EXPECT_GE(test, bytes + step + mss / 10 + 17, exact);
}

static void bytes_per_sec_inverts_bw(struct kunit *test)
{
	static const u32 mss[] = { MSS_MIN, 1448, 1500, 8948, MSS_MAX };
	u64 bits_per_sec;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mss); i++)
		for (bits_per_sec = 100000; bits_per_sec <= 1000 * GBIT;
		     bits_per_sec *= 10)
			expect_rate(test, bits_per_sec, mss[i]);
}

static void bytes_per_sec_of_400_gbit_at_full_gain(struct kunit *test)
{
	u32 bw = bw_of(400 * GBIT, MSS_MIN);
	u64 bytes = kcc_fp_bytes_per_sec(bw, MSS_MIN, GAIN_MAX);

	/* 50 GB/s x 3.996, within a thousandth */
	KUNIT_EXPECT_GT(test, bytes, 199600000000ULL);
	KUNIT_EXPECT_LT(test, bytes, 199805000000ULL);
}

static void bytes_per_sec_largest_arguments_do_not_wrap(struct kunit *test)
{
	u64 bytes = kcc_fp_bytes_per_sec(U32_MAX, MSS_MAX, GAIN_MAX);

	/* 256 packets/us x 65483 bytes x 3.996, within a thousandth */
	KUNIT_EXPECT_GT(test, bytes, 66900000000000ULL);
	KUNIT_EXPECT_LT(test, bytes, 67000000000000ULL);
}

static void bytes_per_sec_grows_with_bw(struct kunit *test)
{
	u64 last = 0, bytes;
	u32 bw;

	for (bw = 1; bw < U32_MAX / 3; bw = bw * 3 + 1) {
		bytes = kcc_fp_bytes_per_sec(bw, MSS_MIN, KCC_UNIT);
		KUNIT_EXPECT_GT(test, bytes, last);
		last = bytes;
	}
}

static void bytes_per_sec_of_nothing(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_fp_bytes_per_sec(0, MSS_MAX, GAIN_MAX), 0);
	KUNIT_EXPECT_EQ(test, kcc_fp_bytes_per_sec(U32_MAX, MSS_MAX, 0), 0);
}

static void bdp_exact(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(KCC_BW_UNIT, 1000, KCC_UNIT), 1000);
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(KCC_BW_UNIT / 4, 1000, KCC_UNIT), 250);
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(KCC_BW_UNIT, 1000, KCC_UNIT * 5 / 4),
			1250);
}

static void bdp_rounds_up(struct kunit *test)
{
	/* 1.5 packets, 1 packet and the smallest piece, a tenth of a packet */
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(KCC_BW_UNIT / 2, 3, KCC_UNIT), 2);
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(KCC_BW_UNIT + 1, 1, KCC_UNIT), 2);
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(KCC_BW_UNIT / 10, 1, KCC_UNIT), 1);
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(1, 1, KCC_UNIT), 1);
}

static void bdp_of_nothing(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(0, RTT_MAX_US, KCC_UNIT), 0);
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(KCC_BW_UNIT, 0, KCC_UNIT), 0);
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(KCC_BW_UNIT, RTT_MAX_US, 0), 0);
}

/* A window that shrinks itself round after round is what rounding up is for. */
static void bdp_of_a_small_window_is_stable(struct kunit *test)
{
	u32 rtt_us, round, pkts, start;

	for (rtt_us = 1; rtt_us <= RTT_MAX_US; rtt_us = rtt_us * 2 + 1) {
		for (start = 1; start <= 10; start++) {
			pkts = start;
			for (round = 0; round < 100; round++)
				pkts = kcc_fp_bdp_pkts(kcc_fp_bw(pkts, rtt_us),
						       rtt_us, KCC_UNIT);
			KUNIT_EXPECT_EQ(test, pkts, start);
		}
	}
}

static void bdp_of_400_gbit_and_10_s(struct kunit *test)
{
	u32 bw = bw_of(400 * GBIT, 1500), pkts;

	/* 333 333 333 packets */
	pkts = kcc_fp_bdp_pkts(bw, RTT_MAX_US, KCC_UNIT);
	KUNIT_EXPECT_GE(test, pkts, 333333000U);
	KUNIT_EXPECT_LE(test, pkts, 333333334U);
	pkts = kcc_fp_bdp_pkts(bw, RTT_MAX_US, GAIN_MAX);
	KUNIT_EXPECT_GE(test, pkts, 1332000000U);
	KUNIT_EXPECT_LE(test, pkts, 1332031254U);
}

static void bdp_saturates(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(U32_MAX, U32_MAX, KCC_UNIT), U32_MAX);
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(U32_MAX, U32_MAX, GAIN_MAX), U32_MAX);
	KUNIT_EXPECT_EQ(test, kcc_fp_bdp_pkts(U32_MAX, RTT_MAX_US * 2, KCC_UNIT),
			U32_MAX);
	KUNIT_EXPECT_LT(test, kcc_fp_bdp_pkts(U32_MAX, RTT_MAX_US, KCC_UNIT),
			U32_MAX);
}

/* The two ways to calculate must agree where one takes over from the other:
 * at a product of 2^52, which is 2^28 packets.
 */
static void bdp_is_continuous_where_the_shifts_change_order(struct kunit *test)
{
	u32 below = kcc_fp_bdp_pkts(1U << 30, (1U << 22) - 1, GAIN_MAX);
	u32 above = kcc_fp_bdp_pkts(1U << 30, 1U << 22, GAIN_MAX);

	KUNIT_EXPECT_GE(test, above, below);
	KUNIT_EXPECT_LE(test, above - below, 64 * GAIN_MAX / KCC_UNIT + 1);
}

static void bdp_grows_with_gain(struct kunit *test)
{
	u32 gain, last = 0, pkts;

	for (gain = 1; gain <= GAIN_MAX; gain++) {
		pkts = kcc_fp_bdp_pkts(KCC_BW_UNIT, RTT_MAX_US, gain);
		KUNIT_EXPECT_GT(test, pkts, last);
		last = pkts;
	}
}

static void scale_multiplies(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_fp_scale(1000, KCC_UNIT), 1000);
	KUNIT_EXPECT_EQ(test, kcc_fp_scale(1000, KCC_UNIT * 5 / 4), 1250);
	KUNIT_EXPECT_EQ(test, kcc_fp_scale(0, GAIN_MAX), 0);
	KUNIT_EXPECT_EQ(test, kcc_fp_scale(1000, 0), 0);
}

static void scale_rounds_down(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_fp_scale(1, KCC_UNIT - 1), 0);
	KUNIT_EXPECT_EQ(test, kcc_fp_scale(3, KCC_UNIT / 2), 1);
}

static void scale_saturates(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_fp_scale(U32_MAX, KCC_UNIT), U32_MAX);
	KUNIT_EXPECT_EQ(test, kcc_fp_scale(U32_MAX, KCC_UNIT + 1), U32_MAX);
	KUNIT_EXPECT_EQ(test, kcc_fp_scale(U32_MAX, U32_MAX), U32_MAX);
	KUNIT_EXPECT_EQ(test, kcc_fp_scale(U32_MAX, KCC_UNIT / 2), U32_MAX / 2);
}

static struct kunit_case kcc_fixed_cases[] = {
	KUNIT_CASE(bw_one_packet_per_us),
	KUNIT_CASE(bw_rounds_down),
	KUNIT_CASE(bw_smallest_step_is_one_packet_in_17_s),
	KUNIT_CASE(bw_saturates),
	KUNIT_CASE(bw_of_400_gbit_fits),
	KUNIT_CASE(bytes_per_sec_inverts_bw),
	KUNIT_CASE(bytes_per_sec_of_400_gbit_at_full_gain),
	KUNIT_CASE(bytes_per_sec_largest_arguments_do_not_wrap),
	KUNIT_CASE(bytes_per_sec_grows_with_bw),
	KUNIT_CASE(bytes_per_sec_of_nothing),
	KUNIT_CASE(bdp_exact),
	KUNIT_CASE(bdp_rounds_up),
	KUNIT_CASE(bdp_of_nothing),
	KUNIT_CASE(bdp_of_a_small_window_is_stable),
	KUNIT_CASE(bdp_of_400_gbit_and_10_s),
	KUNIT_CASE(bdp_saturates),
	KUNIT_CASE(bdp_is_continuous_where_the_shifts_change_order),
	KUNIT_CASE(bdp_grows_with_gain),
	KUNIT_CASE(scale_multiplies),
	KUNIT_CASE(scale_rounds_down),
	KUNIT_CASE(scale_saturates),
	{}
};

struct kunit_suite kcc_fixed_suite = {
	.name = "kcc_fixed",
	.test_cases = kcc_fixed_cases,
};
