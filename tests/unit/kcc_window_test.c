// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_window: gains, pacing rate, window and the smaller hooks
 *
 * Included by tcp_kcc_unit.c.
 */

static u64 bytes_per_sec(u32 gain)
{
	return kcc_fp_bytes_per_sec(UNIT_BW, UNIT_MSS, gain);
}

/* --- init -------------------------------------------------------------------- */

static void init_starts_up(struct kunit *test)
{
	struct sock *sk = unit_sock(test);
	struct kcc *kcc = kcc_ca(sk);

	memset(kcc, 0xff, sizeof(*kcc));
	unit_rtt(sk, UNIT_RTT_US);
	kcc_init(sk);
	expect_state(test, sk, STARTUP);
	KUNIT_EXPECT_FALSE(test, kcc->full_pipe);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, ~0U);
	KUNIT_EXPECT_TRUE(test, kcc->has_seen_rtt);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, tcp_sk(sk)->snd_ssthresh, TCP_INFINITE_SSTHRESH);
	KUNIT_EXPECT_EQ(test, (int)sk->sk_pacing_status, SK_PACING_NEEDED);
}

static void init_leaves_the_pacing_of_fq(struct kunit *test)
{
	struct sock *sk = unit_sock(test);

	sk->sk_pacing_status = SK_PACING_FQ;
	kcc_init(sk);
	KUNIT_EXPECT_EQ(test, (int)sk->sk_pacing_status, SK_PACING_FQ);
}

static u64 init_rate(const struct sock *sk, u32 rtt_us)
{
	return kcc_fp_bytes_per_sec(kcc_fp_bw(TCP_INIT_CWND, rtt_us), UNIT_MSS,
				    kcc_startup_pacing_gain(sk));
}

static void init_paces_the_window_over_the_rtt(struct kunit *test)
{
	struct sock *sk = unit_sock(test);

	unit_rtt(sk, UNIT_RTT_US);
	kcc_init(sk);
	KUNIT_EXPECT_EQ(test, (u64)sk->sk_pacing_rate, init_rate(sk, UNIT_RTT_US));
}

static void init_paces_over_1_ms_until_the_rtt_is_known(struct kunit *test)
{
	struct sock *sk = unit_sock(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc_init(sk);
	KUNIT_EXPECT_EQ(test, (u64)sk->sk_pacing_rate, init_rate(sk, USEC_PER_MSEC));
	KUNIT_EXPECT_FALSE(test, kcc->has_seen_rtt);
	KUNIT_EXPECT_EQ(test, kcc_model_rtt_us(sk), 0);
	/* the first sample lowers the rate, which nothing else does in STARTUP */
	tcp_sk(sk)->srtt_us = UNIT_RTT_US << 3;
	kcc_set_pacing_rate(sk);
	KUNIT_EXPECT_TRUE(test, kcc->has_seen_rtt);
	KUNIT_EXPECT_EQ(test, (u64)sk->sk_pacing_rate, init_rate(sk, UNIT_RTT_US));
}

static void init_survives_an_rtt_of_nothing(struct kunit *test)
{
	struct sock *sk = unit_sock(test);

	unit_rtt(sk, 0);
	tcp_sk(sk)->srtt_us = 1;
	kcc_init(sk);
	KUNIT_EXPECT_EQ(test, (u64)sk->sk_pacing_rate, init_rate(sk, 1));
}

/* --- pacing ------------------------------------------------------------------ */

static void pacing_is_bw_times_gain(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, (u64)sk->sk_pacing_rate,
			bytes_per_sec(kcc_ca(sk)->pacing_gain));
}

/* Early samples are small: until the pipe was full the rate only rises. */
static void pacing_only_rises_until_the_pipe_was_full(struct kunit *test)
{
	struct sock *sk = unit_flow(test, STARTUP);

	sk->sk_pacing_rate = bytes_per_sec(KCC_GAIN_MAX) * 2;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, (u64)sk->sk_pacing_rate, bytes_per_sec(KCC_GAIN_MAX) * 2);
	kcc_ca(sk)->full_pipe = 1;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, (u64)sk->sk_pacing_rate,
			bytes_per_sec(kcc_ca(sk)->pacing_gain));
}

static void pacing_respects_so_max_pacing_rate(struct kunit *test)
{
	static const enum unit_state states[] = {
		STARTUP, DRAIN, UP, DOWN, CRUISE, PROBE_RTT
	};
	struct sock *sk;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		sk = unit_flow(test, states[i]);
		sk->sk_max_pacing_rate = 100000;
		sk->sk_pacing_rate = 0;
		unit_round(sk, UNIT_RTT_US);
		KUNIT_EXPECT_EQ(test, sk->sk_pacing_rate, 100000);
		tcp_sk(sk)->app_limited = 1;
		kcc_idle_restart(sk);
		KUNIT_EXPECT_EQ(test, sk->sk_pacing_rate, 100000);
	}
	sk = unit_sock(test);
	sk->sk_max_pacing_rate = 100000;
	kcc_init(sk);
	KUNIT_EXPECT_EQ(test, sk->sk_pacing_rate, 100000);
}

/* --- gains ------------------------------------------------------------------- */

static void expect_gains(struct kunit *test, const struct sock *sk, u32 pacing,
			 u32 cwnd)
{
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->pacing_gain, pacing);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->cwnd_gain, cwnd);
}

static void gains_of_startup_are_those_of_the_knob(struct kunit *test)
{
	struct sock *sk = unit_flow(test, STARTUP);
	struct kcc *kcc = kcc_ca(sk);

	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, kcc_startup_pacing_gain(sk),
		     kcc_startup_window_gain(sk));
	KUNIT_EXPECT_GT(test, (u32)kcc->cwnd_gain, KCC_SLOW_DOWN_GAIN);
	KUNIT_EXPECT_GE(test, (u32)kcc->pacing_gain, (u32)kcc->cwnd_gain);
}

static void gains_of_startup_follow_the_knob(struct kunit *test)
{
	struct sock *sk = unit_flow(test, STARTUP);
	struct kcc *kcc = kcc_ca(sk);
	u32 pacing, cwnd;

	unit_ack(sk, UNIT_RTT_US);
	pacing = kcc->pacing_gain;
	cwnd = kcc->cwnd_gain;
	kcc_net(sk)->high_gain = 2000;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_LT(test, (u32)kcc->pacing_gain, pacing);
	KUNIT_EXPECT_LT(test, (u32)kcc->cwnd_gain, cwnd);
	/* the least: it still grows by a quarter, or every round would be flat */
	kcc_net(sk)->high_gain = 1000;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_GE(test, (u32)kcc->cwnd_gain, KCC_GROWTH_GAIN);
	KUNIT_EXPECT_GE(test, (u32)kcc->pacing_gain, KCC_GROWTH_GAIN);
	/* the most fits its 10 bits */
	kcc_net(sk)->high_gain = 3996;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, (u32)kcc->pacing_gain, KCC_GAIN_MAX);
	KUNIT_EXPECT_GT(test, (u32)kcc->cwnd_gain, cwnd);
}

static void gains_of_drain(struct kunit *test)
{
	struct sock *sk = unit_flow(test, DRAIN);

	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	tcp_sk(sk)->packets_out = UNIT_BDP + 1;
	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_DRAIN_GAIN, KCC_UNIT);
	/* at the target it waits for the clock without running dry */
	tcp_sk(sk)->packets_out = UNIT_BDP;
	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_UNIT, KCC_UNIT);
}

static void gains_of_down(struct kunit *test)
{
	struct sock *sk = unit_flow(test, DOWN);

	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	tcp_sk(sk)->packets_out = UNIT_BDP + 1;
	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_DOWN_GAIN, KCC_UNIT);
	tcp_sk(sk)->packets_out = UNIT_BDP;
	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_HOLD_GAIN, KCC_UNIT);
	kcc_ca(sk)->proven = 0;
	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_DOWN_GAIN, kcc_drain_gain(kcc_ca(sk)));
	KUNIT_EXPECT_LT(test, (u32)kcc_ca(sk)->cwnd_gain, KCC_UNIT);
}

static void gains_of_probe_rtt_are_half_a_bdp(struct kunit *test)
{
	struct sock *sk = unit_flow(test, PROBE_RTT);

	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_UNIT, KCC_UNIT / 2);
}

static void gains_of_cruise_hold_what_the_drain_reached(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	struct kcc *kcc = kcc_ca(sk);

	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_UNIT, KCC_CRUISE_WINDOW);
	kcc->window_open = 1;
	kcc->drained_end = tcp_sk(sk)->delivered + UNIT_BDP;
	unit_ack(sk, UNIT_RTT_US);
	expect_gains(test, sk, KCC_UNIT, KCC_UNIT);
	kcc->window_deep = 1;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_LT(test, (u32)kcc->cwnd_gain, KCC_UNIT);
}

/* MUST of the design: at most 1.3 BDP in steady cruise. */
static void gains_of_cruise_keep_1_3_bdp(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, KCC_CRUISE_WINDOW, KCC_UNIT * 13 / 10);
}

/* The gain of UP with so much queue and noise. */
static u32 up_gain(struct kunit *test, u32 queue_us, u32 noise_us, u32 p_us2,
		   bool foreign)
{
	struct sock *sk = unit_flow(test, UP);

	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	kcc_ca(sk)->queue_us = queue_us;
	kcc_ca(sk)->kf.p_us2 = p_us2;
	kcc_ca(sk)->foreign = foreign;
	tcp_sk(sk)->mdev_us = noise_us << 1;
	unit_ack(sk, UNIT_RTT_US);
	return kcc_ca(sk)->pacing_gain;
}

static void gains_of_up_shrink_with_the_queue(struct kunit *test)
{
	u32 theta_us = kcc_theta_us(unit_flow(test, UP)), half;

	KUNIT_EXPECT_EQ(test, up_gain(test, 0, 0, 1, false), KCC_UP_GAIN);
	KUNIT_EXPECT_EQ(test, up_gain(test, theta_us, 0, 1, false), KCC_UP_GAIN);
	half = up_gain(test, theta_us + (UNIT_RTT_US >> KCC_DECAY_SHIFT) / 2, 0, 1,
		       false);
	KUNIT_EXPECT_LT(test, half, KCC_UP_GAIN);
	KUNIT_EXPECT_GT(test, half, KCC_UP_FLOOR_GAIN);
	KUNIT_EXPECT_EQ(test, up_gain(test, UNIT_RTT_US, 0, 1, false),
			KCC_UP_FLOOR_GAIN);
	KUNIT_EXPECT_EQ(test, up_gain(test, U32_MAX, 0, 1, false),
			KCC_UP_FLOOR_GAIN);
	/* at 1.0 bw could only fall */
	KUNIT_EXPECT_GT(test, KCC_UP_FLOOR_GAIN, KCC_UNIT);
}

static void gains_of_up_shrink_with_noise(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, up_gain(test, 0, UNIT_RTT_US >> 4, 1, false),
			KCC_UP_GAIN);
	KUNIT_EXPECT_LT(test, up_gain(test, 0, UNIT_RTT_US / 2, 1, false),
			KCC_UP_GAIN);
	KUNIT_EXPECT_EQ(test, up_gain(test, 0, 2 * UNIT_RTT_US, 1, false),
			KCC_UP_FLOOR_GAIN);
}

static void gains_of_up_do_not_shrink_without_confidence(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, up_gain(test, UNIT_RTT_US, 0, U32_MAX, false),
			KCC_UP_GAIN);
}

static void gains_of_up_do_not_shrink_for_the_queue_of_others(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, up_gain(test, UNIT_RTT_US, 0, 1, true), KCC_UP_GAIN);
}

static void gains_of_cruise_shrink_with_the_queue(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	kcc_ca(sk)->queue_us = UNIT_RTT_US;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_LT(test, (u32)kcc_ca(sk)->pacing_gain, KCC_UNIT);
	KUNIT_EXPECT_GE(test, (u32)kcc_ca(sk)->pacing_gain, KCC_UNIT * 9 / 10);
}

/* --- window ------------------------------------------------------------------ */

/* The window after one ACK, from such a one before. */
static u32 cwnd_after_ack(struct sock *sk, u32 cwnd)
{
	unit_clock(sk, 1000);
	tcp_snd_cwnd_set(tcp_sk(sk), cwnd);
	unit_ack(sk, UNIT_RTT_US);
	return tcp_snd_cwnd(tcp_sk(sk));
}

/* So much for a gain: with clumped ACKs, bursts at both ends, and even. */
static u32 window_of(struct sock *sk, u32 gain)
{
	u32 pkts = kcc_fp_scale(UNIT_BDP, gain) + !!(UNIT_BDP * gain % KCC_UNIT);

	if (kcc_ca(sk)->full_pipe)
		pkts += kcc_extra_acked_pkts(sk);
	pkts += 3 * kcc_tso_segs_goal(sk, UNIT_MSS);
	return pkts + (pkts & 1);
}

static void cwnd_grows_by_what_was_acked_up_to_its_target(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, UNIT_BDP), UNIT_BDP + 1);
	/* what is acked one by one at the pace of bw comes in no clumps */
	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, 2 * UNIT_BDP),
			window_of(sk, KCC_CRUISE_WINDOW));
	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(sk)) % 2, 0);
	KUNIT_EXPECT_LE(test, tcp_snd_cwnd(tcp_sk(sk)), UNIT_BDP * 14 / 10);
	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, tcp_snd_cwnd(tcp_sk(sk)) - 1),
			window_of(sk, KCC_CRUISE_WINDOW));
}

static void cwnd_of_startup_grows_and_never_shrinks(struct kunit *test)
{
	struct sock *sk = unit_flow(test, STARTUP);
	u32 target;

	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, UNIT_BDP), UNIT_BDP + 1);
	target = window_of(sk, kcc_ca(sk)->cwnd_gain);
	KUNIT_EXPECT_GT(test, target, UNIT_BDP);
	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, 2 * target), 2 * target);
}

/* Early samples of bw are low: while no queue shows, a little more is tried. */
static void cwnd_of_startup_passes_its_target_without_a_queue(struct kunit *test)
{
	struct sock *sk = unit_flow(test, STARTUP);
	struct rate_sample rs;
	u32 target;

	unit_ack(sk, UNIT_RTT_US);
	target = window_of(sk, kcc_ca(sk)->cwnd_gain);
	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, target), target + 1);
	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, target + UNIT_BDP), target + UNIT_BDP);
	tcp_snd_cwnd_set(tcp_sk(sk), target);
	rs = unit_sample(sk, UNIT_RTT_US * 3 / 2);
	unit_take(sk, &rs);
	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(sk)), target);
	rs = unit_sample(sk, UNIT_RTT_US);
	rs.rtt_us = -1;
	unit_take(sk, &rs);
	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(sk)), target);
}

static void cwnd_grows_for_ack_aggregation_by_one_bdp_at_most(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	u32 plain;

	plain = cwnd_after_ack(sk, 4 * UNIT_BDP);
	kcc_ca(sk)->extra_acked[1] = 101;
	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, 4 * UNIT_BDP), plain + 100);
	kcc_ca(sk)->extra_acked[1] = 10 * UNIT_BDP;
	KUNIT_EXPECT_GE(test, cwnd_after_ack(sk, 4 * UNIT_BDP), plain + UNIT_BDP - 2);
	KUNIT_EXPECT_LE(test, cwnd_after_ack(sk, 4 * UNIT_BDP), plain + UNIT_BDP);
}

static void cwnd_is_never_below_4(struct kunit *test)
{
	static const enum unit_state states[] = {
		STARTUP, DRAIN, UP, DOWN, CRUISE, PROBE_RTT
	};
	struct sock *sk;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		sk = unit_flow(test, states[i]);
		kcc_set_bw(kcc_ca(sk), 1);
		kcc_ca(sk)->bound_pkts = 1;
		tcp_snd_cwnd_set(tcp_sk(sk), 1);
		unit_ack(sk, UNIT_RTT_US);
		KUNIT_EXPECT_GE(test, tcp_snd_cwnd(tcp_sk(sk)), KCC_CWND_MIN_PKTS);
	}
}

static void cwnd_respects_the_clamp(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	tcp_sk(sk)->snd_cwnd_clamp = 10;
	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, UNIT_BDP), 10);
	/* even where it lies below the floor: the user's word counts */
	tcp_sk(sk)->snd_cwnd_clamp = 2;
	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, UNIT_BDP), 2);
}

static void cwnd_of_probe_rtt_is_half_a_bdp(struct kunit *test)
{
	struct sock *sk = unit_flow(test, PROBE_RTT);

	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, UNIT_BDP), UNIT_BDP / 2);
}

static void cwnd_without_an_rtt_is_the_initial_window(struct kunit *test)
{
	struct sock *sk = unit_sock(test);

	kcc_init(sk);
	KUNIT_EXPECT_EQ(test, kcc_bdp_pkts(sk, UNIT_BW, KCC_UNIT), TCP_INIT_CWND);
	KUNIT_EXPECT_EQ(test, kcc_bdp_pkts(sk, 0, KCC_UNIT / 2), TCP_INIT_CWND);
}

/* On a LAN the room for bursts and clumps is several BDP: the loss bound comes
 * after it.
 */
static void cwnd_is_bounded_last(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	kcc_ca(sk)->extra_acked[0] = UNIT_BDP;
	kcc_ca(sk)->bound_pkts = 100;
	KUNIT_EXPECT_LT(test, cwnd_after_ack(sk, 2 * UNIT_BDP), 100);
	KUNIT_EXPECT_GE(test, tcp_snd_cwnd(tcp_sk(sk)), 90);
	sk = unit_flow(test, UP);
	kcc_ca(sk)->phase_stamp_us = tcp_sk(sk)->tcp_mstamp;
	kcc_ca(sk)->extra_acked[0] = UNIT_BDP;
	kcc_ca(sk)->bound_pkts = 100;
	/* only a probe goes all the way */
	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, 2 * UNIT_BDP), 100);
}

static void cwnd_is_kept_without_new_data(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	struct rate_sample rs = unit_sample(sk, UNIT_RTT_US);

	rs.acked_sacked = 0;
	tcp_snd_cwnd_set(tcp_sk(sk), 3 * UNIT_BDP);
	unit_take(sk, &rs);
	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(sk)), 3 * UNIT_BDP);
}

/* --- recovery ---------------------------------------------------------------- */

static struct sock *recovering(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	kcc_ssthresh(sk);
	inet_csk(sk)->icsk_ca_state = TCP_CA_Recovery;
	tcp_sk(sk)->packets_out = 300;
	unit_ack(sk, UNIT_RTT_US);
	return sk;
}

static void recovery_conserves_packets_for_a_round(struct kunit *test)
{
	struct sock *sk = recovering(test);

	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(sk)), 301);
	KUNIT_EXPECT_TRUE(test, kcc_ca(sk)->packet_conservation);
	/* less in flight does not shrink it, more lets it follow */
	tcp_sk(sk)->packets_out = 290;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(sk)), 301);
	tcp_sk(sk)->packets_out = 310;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(sk)), 311);
}

static void recovery_takes_losses_off(struct kunit *test)
{
	struct sock *sk = recovering(test);
	struct rate_sample rs = unit_sample(sk, UNIT_RTT_US);

	tcp_sk(sk)->packets_out = 200;
	rs.losses = 50;
	unit_take(sk, &rs);
	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(sk)), 251);
}

static void recovery_survives_more_losses_than_window(struct kunit *test)
{
	struct sock *sk = recovering(test);
	struct rate_sample rs = unit_sample(sk, UNIT_RTT_US);

	tcp_sk(sk)->packets_out = 0;
	rs.losses = 5000;
	unit_take(sk, &rs);
	KUNIT_EXPECT_GE(test, tcp_snd_cwnd(tcp_sk(sk)), 1);
	KUNIT_EXPECT_LE(test, tcp_snd_cwnd(tcp_sk(sk)), KCC_CWND_MIN_PKTS);
}

static void recovery_grows_again_after_its_first_round(struct kunit *test)
{
	struct sock *sk = recovering(test);

	unit_round(sk, UNIT_RTT_US);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->packet_conservation);
	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(sk)), 302);
}

static void recovery_ends_with_the_window_from_before(struct kunit *test)
{
	struct sock *sk = recovering(test);

	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->prior_cwnd, UNIT_BDP * 13 / 10);
	inet_csk(sk)->icsk_ca_state = TCP_CA_Open;
	unit_ack(sk, UNIT_RTT_US);
	KUNIT_EXPECT_GE(test, tcp_snd_cwnd(tcp_sk(sk)), UNIT_BDP * 13 / 10);
	KUNIT_EXPECT_FALSE(test, kcc_ca(sk)->packet_conservation);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->prev_ca_state, TCP_CA_Open);
}

static void recovery_again_keeps_the_larger_window(struct kunit *test)
{
	struct sock *sk = recovering(test);

	kcc_ssthresh(sk);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->prior_cwnd, UNIT_BDP * 13 / 10);
}

static void recovery_in_probe_rtt_keeps_the_larger_window(struct kunit *test)
{
	struct sock *sk = unit_flow(test, PROBE_RTT);

	kcc_ca(sk)->prior_cwnd = 500;
	tcp_snd_cwnd_set(tcp_sk(sk), 200);
	kcc_ssthresh(sk);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->prior_cwnd, 500);
}

static void ssthresh_is_left_alone(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	tcp_sk(sk)->snd_ssthresh = 12345;
	KUNIT_EXPECT_EQ(test, kcc_ssthresh(sk), 12345);
}

/* --- undo and timeout -------------------------------------------------------- */

static void undo_gives_the_window_back(struct kunit *test)
{
	struct sock *sk = recovering(test);
	struct kcc *kcc = kcc_ca(sk);

	kcc->flat_rounds = 2;
	kcc->all_sum_q4 = 100;
	kcc->probe_sum_q4 = 100;
	KUNIT_EXPECT_EQ(test, kcc_undo_cwnd(sk), UNIT_BDP * 13 / 10);
	KUNIT_EXPECT_EQ(test, (u32)kcc->flat_rounds, 0);
	KUNIT_EXPECT_EQ(test, kcc->all_sum_q4, 0);
	KUNIT_EXPECT_EQ(test, kcc->probe_sum_q4, 0);
	tcp_snd_cwnd_set(tcp_sk(sk), 1000);
	KUNIT_EXPECT_EQ(test, kcc_undo_cwnd(sk), 1000);
}

/* ref_bw is a rate in STARTUP and something else elsewhere. */
static void undo_and_timeout_forget_growth_only_in_startup(struct kunit *test)
{
	struct sock *sk = unit_flow(test, STARTUP);

	kcc_ca(sk)->ref_bw = UNIT_BW;
	kcc_undo_cwnd(sk);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->ref_bw, 0);
	kcc_ca(sk)->ref_bw = UNIT_BW;
	kcc_set_state(sk, TCP_CA_Loss);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->ref_bw, 0);
	sk = unit_flow(test, UP);
	kcc_undo_cwnd(sk);
	kcc_set_state(sk, TCP_CA_Loss);
	KUNIT_EXPECT_EQ(test, kcc_ca(sk)->ref_bw, UNIT_BW);
}

static void timeout_leaves_the_bound_alone(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	struct kcc *kcc = kcc_ca(sk);

	kcc->bound_pkts = 300;
	kcc->probe_sum_q4 = 100;
	kcc->all_sum_q4 = 100;
	kcc_set_state(sk, TCP_CA_Loss);
	KUNIT_EXPECT_EQ(test, kcc->bound_pkts, 300);
	KUNIT_EXPECT_EQ(test, kcc->probe_sum_q4, 0);
	KUNIT_EXPECT_EQ(test, kcc->all_sum_q4, 0);
	KUNIT_EXPECT_TRUE(test, kcc->loss_hold);
	KUNIT_EXPECT_EQ(test, (u32)kcc->prev_ca_state, TCP_CA_Loss);
	expect_bw_kept(test, sk);
	expect_no_arrow(test);
}

static void timeout_grows_back_from_one_packet(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	kcc_ssthresh(sk);
	kcc_set_state(sk, TCP_CA_Loss);
	inet_csk(sk)->icsk_ca_state = TCP_CA_Loss;
	tcp_sk(sk)->packets_out = 1;
	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, 1), KCC_CWND_MIN_PKTS);
	KUNIT_EXPECT_EQ(test, cwnd_after_ack(sk, 10), 11);
	inet_csk(sk)->icsk_ca_state = TCP_CA_Open;
	KUNIT_EXPECT_GE(test, cwnd_after_ack(sk, 10), UNIT_BDP * 13 / 10);
}

static void other_states_change_nothing(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	struct kcc before = *kcc_ca(sk);
	u8 state;

	for (state = TCP_CA_Open; state < TCP_CA_Loss; state++)
		kcc_set_state(sk, state);
	KUNIT_EXPECT_MEMEQ(test, kcc_ca(sk), &before, sizeof(before));
}

/* --- bursts, buffer, ss ------------------------------------------------------ */

static void tso_segs_follow_the_pacing_rate(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	sk->sk_pacing_rate = KCC_MIN_TSO_RATE - 1;
	KUNIT_EXPECT_EQ(test, kcc_tso_segs_goal(sk, UNIT_MSS), 1);
	sk->sk_pacing_rate = KCC_MIN_TSO_RATE;
	KUNIT_EXPECT_EQ(test, kcc_tso_segs_goal(sk, UNIT_MSS), 2);
	/* 10 segments every 1.024 ms */
	sk->sk_pacing_rate = 10 * UNIT_MSS << 10;
	KUNIT_EXPECT_EQ(test, kcc_tso_segs_goal(sk, UNIT_MSS), 10);
	sk->sk_pacing_rate = ~0UL;
	KUNIT_EXPECT_LE(test, kcc_tso_segs_goal(sk, UNIT_MSS) * UNIT_MSS, 65536);
	KUNIT_EXPECT_EQ(test, kcc_tso_segs_goal(sk, 88), 127);
}

static void inflight_is_never_negative(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);

	tcp_sk(sk)->packets_out = 10;
	KUNIT_EXPECT_EQ(test, kcc_inflight_pkts(sk), 10);
	tcp_sk(sk)->tcp_wstamp_ns = tcp_sk(sk)->tcp_clock_cache + NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, kcc_inflight_pkts(sk), 0);
	/* the next departure lies in the past */
	tcp_sk(sk)->tcp_wstamp_ns = 0;
	KUNIT_EXPECT_EQ(test, kcc_inflight_pkts(sk), 10);
}

static void sndbuf_holds_three_windows(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kcc_sndbuf_expand(unit_flow(test, CRUISE)), 3);
}

static void info_shows_the_model(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	union tcp_cc_info info;
	int attr = 0;
	size_t size;
	u64 bw;

	memset(&info, 0xff, sizeof(info));
	unit_ack(sk, UNIT_RTT_US);
	size = kcc_get_info(sk, 1 << (INET_DIAG_BBRINFO - 1), &attr, &info);
	KUNIT_EXPECT_EQ(test, size, sizeof(info.bbr));
	KUNIT_EXPECT_EQ(test, attr, INET_DIAG_BBRINFO);
	bw = (u64)info.bbr.bbr_bw_hi << 32 | info.bbr.bbr_bw_lo;
	KUNIT_EXPECT_EQ(test, bw, bytes_per_sec(KCC_UNIT));
	KUNIT_EXPECT_EQ(test, info.bbr.bbr_min_rtt, UNIT_RTT_US);
	expect_gains(test, sk, info.bbr.bbr_pacing_gain, info.bbr.bbr_cwnd_gain);
	KUNIT_EXPECT_GT(test, info.bbr.bbr_pacing_gain, 0);
}

static void info_of_a_fast_path_needs_both_halves(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	union tcp_cc_info info;
	int attr;

	kcc_set_bw(kcc_ca(sk), 33 * KCC_BW_UNIT);
	tcp_sk(sk)->mss_cache = 1500;
	/* 400 Gbit/s */
	kcc_get_info(sk, 1 << (INET_DIAG_BBRINFO - 1), &attr, &info);
	KUNIT_EXPECT_EQ(test, (u64)info.bbr.bbr_bw_hi << 32 | info.bbr.bbr_bw_lo,
			49500000000ULL);
}

static void info_is_given_only_when_asked_for(struct kunit *test)
{
	struct sock *sk = unit_flow(test, CRUISE);
	union tcp_cc_info info;
	int attr = -1;

	KUNIT_EXPECT_EQ(test, kcc_get_info(sk, 0, &attr, &info), 0);
	KUNIT_EXPECT_EQ(test, kcc_get_info(sk, 1 << (INET_DIAG_MEMINFO - 1), &attr,
					   &info), 0);
	KUNIT_EXPECT_EQ(test, attr, -1);
	KUNIT_EXPECT_GT(test, kcc_get_info(sk, 1 << (INET_DIAG_VEGASINFO - 1), &attr,
					   &info), 0);
}

static struct kunit_case kcc_window_cases[] = {
	KUNIT_CASE(init_starts_up),
	KUNIT_CASE(init_leaves_the_pacing_of_fq),
	KUNIT_CASE(init_paces_the_window_over_the_rtt),
	KUNIT_CASE(init_paces_over_1_ms_until_the_rtt_is_known),
	KUNIT_CASE(init_survives_an_rtt_of_nothing),
	KUNIT_CASE(pacing_is_bw_times_gain),
	KUNIT_CASE(pacing_only_rises_until_the_pipe_was_full),
	KUNIT_CASE(pacing_respects_so_max_pacing_rate),
	KUNIT_CASE(gains_of_startup_are_those_of_the_knob),
	KUNIT_CASE(gains_of_startup_follow_the_knob),
	KUNIT_CASE(gains_of_drain),
	KUNIT_CASE(gains_of_down),
	KUNIT_CASE(gains_of_probe_rtt_are_half_a_bdp),
	KUNIT_CASE(gains_of_cruise_hold_what_the_drain_reached),
	KUNIT_CASE(gains_of_cruise_keep_1_3_bdp),
	KUNIT_CASE(gains_of_up_shrink_with_the_queue),
	KUNIT_CASE(gains_of_up_shrink_with_noise),
	KUNIT_CASE(gains_of_up_do_not_shrink_without_confidence),
	KUNIT_CASE(gains_of_up_do_not_shrink_for_the_queue_of_others),
	KUNIT_CASE(gains_of_cruise_shrink_with_the_queue),
	KUNIT_CASE(cwnd_grows_by_what_was_acked_up_to_its_target),
	KUNIT_CASE(cwnd_of_startup_grows_and_never_shrinks),
	KUNIT_CASE(cwnd_of_startup_passes_its_target_without_a_queue),
	KUNIT_CASE(cwnd_grows_for_ack_aggregation_by_one_bdp_at_most),
	KUNIT_CASE(cwnd_is_never_below_4),
	KUNIT_CASE(cwnd_respects_the_clamp),
	KUNIT_CASE(cwnd_of_probe_rtt_is_half_a_bdp),
	KUNIT_CASE(cwnd_without_an_rtt_is_the_initial_window),
	KUNIT_CASE(cwnd_is_bounded_last),
	KUNIT_CASE(cwnd_is_kept_without_new_data),
	KUNIT_CASE(recovery_conserves_packets_for_a_round),
	KUNIT_CASE(recovery_takes_losses_off),
	KUNIT_CASE(recovery_survives_more_losses_than_window),
	KUNIT_CASE(recovery_grows_again_after_its_first_round),
	KUNIT_CASE(recovery_ends_with_the_window_from_before),
	KUNIT_CASE(recovery_again_keeps_the_larger_window),
	KUNIT_CASE(recovery_in_probe_rtt_keeps_the_larger_window),
	KUNIT_CASE(ssthresh_is_left_alone),
	KUNIT_CASE(undo_gives_the_window_back),
	KUNIT_CASE(undo_and_timeout_forget_growth_only_in_startup),
	KUNIT_CASE(timeout_leaves_the_bound_alone),
	KUNIT_CASE(timeout_grows_back_from_one_packet),
	KUNIT_CASE(other_states_change_nothing),
	KUNIT_CASE(tso_segs_follow_the_pacing_rate),
	KUNIT_CASE(inflight_is_never_negative),
	KUNIT_CASE(sndbuf_holds_three_windows),
	KUNIT_CASE(info_shows_the_model),
	KUNIT_CASE(info_of_a_fast_path_needs_both_halves),
	KUNIT_CASE(info_is_given_only_when_asked_for),
	{}
};

struct kunit_suite kcc_window_suite = {
	.name = "kcc_window",
	.suite_init = unit_trace_begin,
	.suite_exit = unit_trace_end,
	.init = unit_case_init,
	.exit = unit_case_exit,
	.test_cases = kcc_window_cases,
};
