// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_loss_full: the longest delay of late, and losses at a full queue
 *
 * Included by kcc_loss_test.c.
 */

/* An ACK that reports losses beside a packet that waited so long. */
static void note_delay(struct sock *sk, s32 delay_us, s32 lost)
{
	struct rate_sample rs = { .rtt_us = UNIT_RTT_US + delay_us, .losses = lost };

	kcc_note_loss_delay(sk, &rs);
}

/* A flow whose longest delay of late is this one, a multiple of 16. */
static struct sock *delayed_flow(struct kunit *test, u32 delay_us)
{
	struct sock *sk = loss_flow(test);

	note_delay(sk, delay_us, 0);
	KUNIT_EXPECT_EQ(test, kcc_delay_max_us(kcc_ca(sk)), delay_us);
	return sk;
}

static u32 full(const struct sock *sk)
{
	return kcc_ca(sk)->acc_full;
}

static void longest_delay_is_a_maximum(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	KUNIT_EXPECT_EQ(test, kcc_delay_max_us(kcc_ca(sk)), 0);
	note_delay(sk, 16000, 0);
	KUNIT_EXPECT_EQ(test, kcc_delay_max_us(kcc_ca(sk)), 16000);
	note_delay(sk, 8000, 0);
	note_delay(sk, -5000, 0);
	KUNIT_EXPECT_EQ(test, kcc_delay_max_us(kcc_ca(sk)), 16000);
	/* in steps of 16 us, rounded down */
	note_delay(sk, 16031, 0);
	KUNIT_EXPECT_EQ(test, kcc_delay_max_us(kcc_ca(sk)), 16016);
}

static void longest_delay_saturates(struct kunit *test)
{
	struct sock *sk = loss_flow(test);

	note_delay(sk, U16_MAX << 4, 0);
	KUNIT_EXPECT_EQ(test, kcc_delay_max_us(kcc_ca(sk)), U16_MAX << 4);
	note_delay(sk, 10 * USEC_PER_SEC, 0);
	KUNIT_EXPECT_EQ(test, kcc_delay_max_us(kcc_ca(sk)), U16_MAX << 4);
}

static void longest_delay_needs_a_sample(struct kunit *test)
{
	struct sock *sk = delayed_flow(test, 8000);
	struct rate_sample rs = { .rtt_us = -1, .losses = 5 };

	kcc_note_loss_delay(sk, &rs);
	rs.rtt_us = 0;
	kcc_note_loss_delay(sk, &rs);
	KUNIT_EXPECT_EQ(test, kcc_delay_max_us(kcc_ca(sk)), 8000);
	KUNIT_EXPECT_EQ(test, full(sk), 0);
}

static void full_is_from_three_quarters_of_the_longest_delay(struct kunit *test)
{
	struct sock *sk = delayed_flow(test, 16000);

	note_delay(sk, 12000, 3);
	KUNIT_EXPECT_EQ(test, full(sk), 0);
	note_delay(sk, 12001, 3);
	KUNIT_EXPECT_EQ(test, full(sk), 3);
	note_delay(sk, 16000, 2);
	KUNIT_EXPECT_EQ(test, full(sk), 5);
	/* a longer one than any before */
	note_delay(sk, 32000, 1);
	KUNIT_EXPECT_EQ(test, full(sk), 6);
	note_delay(sk, 16000, 1);
	KUNIT_EXPECT_EQ(test, full(sk), 6);
}

static void full_is_more_than_timers_explain(struct kunit *test)
{
	struct sock *sk = loss_flow(test);
	struct rate_sample rs = { .rtt_us = 40960 + 1280, .losses = 3 };

	/* T/32 of 40.96 ms are 80 steps of 16 us */
	kcc_accept_path(sk, 40960);
	kcc_ca(sk)->delay_max_q = 80;
	kcc_note_loss_delay(sk, &rs);
	KUNIT_EXPECT_EQ(test, full(sk), 0);
	kcc_ca(sk)->delay_max_q = 81;
	kcc_note_loss_delay(sk, &rs);
	KUNIT_EXPECT_EQ(test, full(sk), 3);
}

static void full_needs_a_loss(struct kunit *test)
{
	struct sock *sk = delayed_flow(test, 16000);

	note_delay(sk, 16000, 0);
	note_delay(sk, 16000, -1);
	KUNIT_EXPECT_EQ(test, full(sk), 0);
}

static void full_saturates(struct kunit *test)
{
	struct sock *sk = delayed_flow(test, 16000);

	note_delay(sk, 16000, U8_MAX - 1);
	KUNIT_EXPECT_EQ(test, full(sk), U8_MAX - 1);
	note_delay(sk, 16000, 1);
	KUNIT_EXPECT_EQ(test, full(sk), U8_MAX);
	note_delay(sk, 16000, 1);
	KUNIT_EXPECT_EQ(test, full(sk), U8_MAX);
	note_delay(sk, 16000, 1 << 20);
	KUNIT_EXPECT_EQ(test, full(sk), U8_MAX);
}

static void full_belongs_to_its_account(struct kunit *test)
{
	struct sock *sk = delayed_flow(test, 16000);

	/* never more than was lost in it */
	note_delay(sk, 16000, 5);
	KUNIT_EXPECT_EQ(test, kcc_account(sk).full_pkts, 0);
	tcp_sk(sk)->lost += 3;
	KUNIT_EXPECT_EQ(test, kcc_account(sk).full_pkts, 3);
	tcp_sk(sk)->lost += 4;
	KUNIT_EXPECT_EQ(test, kcc_account(sk).full_pkts, 5);
	kcc_open_account(sk, KCC_CRUISE);
	tcp_sk(sk)->lost += 4;
	KUNIT_EXPECT_EQ(test, kcc_account(sk).full_pkts, 0);
}

/* They count in the sums like any other, but are none of the path's own. */
static void full_losses_do_not_feed_the_base(struct kunit *test)
{
	struct kcc_account acc = losses(40, 1000);
	struct kcc kcc = {};

	acc.full_pkts = 40;
	kcc_feed_base(&kcc, acc);
	KUNIT_EXPECT_EQ(test, kcc.base_q16, 0);
	KUNIT_EXPECT_GT(test, kcc.base_weight, 0);
	KUNIT_EXPECT_EQ(test, kcc_cusum_q4(&kcc, 0, acc),
			kcc_cusum_q4(&kcc, 0, losses(40, 1000)));
	kcc.base_weight = 0;
	acc.full_pkts = 30;
	kcc_feed_base(&kcc, acc);
	KUNIT_EXPECT_EQ(test, kcc.base_q16, share(10));
}

/* Rounds of 3 % loss in CRUISE without a standing queue, reported beside packets
 * that waited so long; returns the verdicts that fell.
 */
static u32 cruise_at_3_percent(struct sock *sk, u32 rounds, u32 delay_us)
{
	struct rate_sample rs = {
		.delivered = UNIT_BDP,
		.losses = 3,
		.rtt_us = UNIT_RTT_US + delay_us,
	};
	u32 verdicts = 0, i;

	for (i = 0; i < 4 * rounds; i++) {
		struct kcc_ack ack = { .rs = &rs };

		tcp_sk(sk)->delivered += 97;
		tcp_sk(sk)->lost += 3;
		rs.prior_delivered = kcc_ca(sk)->phase_delivered;
		kcc_ca(sk)->round_start = i % 4 == 0;
		kcc_loss_update(sk, &ack);
		verdicts += ack.congested;
	}
	return verdicts;
}

/* Ten flows at a shallow buffer: all phases lose, and no queue stands. */
static void full_queue_of_many_flows_is_the_bottleneck_s(struct kunit *test)
{
	struct sock *sk = delayed_flow(test, 8000);

	kcc_ca(sk)->base_weight = KCC_BASE_MIN_WEIGHT;
	KUNIT_EXPECT_GT(test, cruise_at_3_percent(sk, 20, 8000), 0);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->base_q16, 0);
	KUNIT_EXPECT_LT(test, kcc_ca(sk)->bound_pkts, ~0U);
}

static void loss_below_a_full_queue_is_the_path_s(struct kunit *test)
{
	struct sock *sk = delayed_flow(test, 8000);

	kcc_ca(sk)->base_weight = KCC_BASE_MIN_WEIGHT;
	kcc_ca(sk)->base_q16 = share(25);
	KUNIT_EXPECT_EQ(test, cruise_at_3_percent(sk, 20, 4000), 0);
	KUNIT_EXPECT_GE(test, kcc_ca(sk)->base_q16, share(27));
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->bound_pkts, ~0U);
}

static struct kunit_case kcc_loss_full_cases[] = {
	KUNIT_CASE(longest_delay_is_a_maximum),
	KUNIT_CASE(longest_delay_saturates),
	KUNIT_CASE(longest_delay_needs_a_sample),
	KUNIT_CASE(full_is_from_three_quarters_of_the_longest_delay),
	KUNIT_CASE(full_is_more_than_timers_explain),
	KUNIT_CASE(full_needs_a_loss),
	KUNIT_CASE(full_saturates),
	KUNIT_CASE(full_belongs_to_its_account),
	KUNIT_CASE(full_losses_do_not_feed_the_base),
	KUNIT_CASE(full_queue_of_many_flows_is_the_bottleneck_s),
	KUNIT_CASE(loss_below_a_full_queue_is_the_path_s),
	{}
};

struct kunit_suite kcc_loss_full_suite = {
	.name = "kcc_loss_full",
	.test_cases = kcc_loss_full_cases,
};
