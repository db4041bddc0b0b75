// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_life: whole lives of a flow on a simulated path
 *
 * Included by tcp_kcc_unit.c.  The limits are wide: they tell a state machine
 * that works from one that does not; how well it works is for the lab to say.
 */

/* Every arrow of the diagram in kcc_state.c, and no other. */
static const struct unit_arrow legal_arrows[] = {
	{ STARTUP, DRAIN, KCC_WHY_PLATEAU },
	{ STARTUP, DRAIN, KCC_WHY_LOSS },
	{ STARTUP, DRAIN, KCC_WHY_DELAY },
	{ DRAIN, CRUISE, KCC_WHY_DRAINED },
	{ DRAIN, CRUISE, KCC_WHY_TIMEOUT },
	{ CRUISE, STARTUP, KCC_WHY_NOT_OURS },
	{ CRUISE, UP, KCC_WHY_CYCLE },
	{ UP, STARTUP, KCC_WHY_ROOM },
	{ UP, DOWN, KCC_WHY_TARGET },
	{ UP, DOWN, KCC_WHY_LOSS },
	{ UP, DOWN, KCC_WHY_DELAY },
	{ UP, DOWN, KCC_WHY_TIMEOUT },
	{ DOWN, CRUISE, KCC_WHY_DRAINED },
	{ DOWN, CRUISE, KCC_WHY_TIMEOUT },
	{ DOWN, CRUISE, KCC_WHY_NOT_OURS },
	{ UP, PROBE_RTT, KCC_WHY_PATH_CHECK },
	{ DOWN, PROBE_RTT, KCC_WHY_PATH_CHECK },
	{ CRUISE, PROBE_RTT, KCC_WHY_PATH_CHECK },
	{ UP, PROBE_RTT, KCC_WHY_INTERVAL },
	{ DOWN, PROBE_RTT, KCC_WHY_INTERVAL },
	{ CRUISE, PROBE_RTT, KCC_WHY_INTERVAL },
	{ PROBE_RTT, CRUISE, KCC_WHY_CONFIRMED },
	{ PROBE_RTT, CRUISE, KCC_WHY_PATH_CHANGE },
	{ PROBE_RTT, CRUISE, KCC_WHY_TIMEOUT },
	{ PROBE_RTT, CRUISE, KCC_WHY_NOT_OURS },
	{ UP, CRUISE, KCC_WHY_IDLE },
	{ DOWN, CRUISE, KCC_WHY_IDLE },
	{ CRUISE, CRUISE, KCC_WHY_IDLE },
	{ PROBE_RTT, CRUISE, KCC_WHY_IDLE },
};

static void expect_legal_arrows(struct kunit *test)
{
	size_t i, k;

	KUNIT_EXPECT_GT(test, unit_arrow_count, 0);
	for (i = 0; i < unit_arrow_count; i++) {
		for (k = 0; k < ARRAY_SIZE(legal_arrows); k++)
			if (!memcmp(&unit_arrows[i], &legal_arrows[k],
				    sizeof(legal_arrows[k])))
				break;
		KUNIT_EXPECT_LT_MSG(test, k, ARRAY_SIZE(legal_arrows),
				    "from %u to %u because of %u", unit_arrows[i].from,
				    unit_arrows[i].to, unit_arrows[i].why);
	}
}

/* Share of the bottleneck that was used over the next seconds, in percent. */
static u32 use_percent(struct unit_path *path, u32 seconds)
{
	u32 start = tcp_sk(path->sk)->delivered;

	path->max_queue_pkts = 0;
	unit_path_run(path, seconds * USEC_PER_SEC, NULL);
	return (tcp_sk(path->sk)->delivered - start) * path->pkt_us / seconds / 10000;
}

static void expect_t_within_5_percent(struct kunit *test, const struct unit_path *path)
{
	u32 rtt_us = path->rtt_us + path->pkt_us;

	KUNIT_EXPECT_GE(test, kcc_model_rtt_us(path->sk), rtt_us * 95 / 100);
	KUNIT_EXPECT_LE(test, kcc_model_rtt_us(path->sk), rtt_us * 105 / 100);
}

/* The cycle of PROBE_BW, for ever: full, nothing lost, little queued. */
static void life_on_a_deep_buffer(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 20 * UNIT_BDP);

	unit_path_run(path, 2 * USEC_PER_SEC, NULL);
	unit_arrow_count = 0;
	KUNIT_EXPECT_GE(test, use_percent(path, 10), 90);
	KUNIT_EXPECT_LE(test, path->max_queue_pkts, UNIT_BDP);
	KUNIT_EXPECT_EQ(test, tcp_sk(path->sk)->lost, 0);
	expect_t_within_5_percent(test, path);
	expect_legal_arrows(test);
	/* 10 s are about 20 cycles */
	KUNIT_EXPECT_GE(test, unit_count(CRUISE, UP, KCC_WHY_CYCLE), 10);
	KUNIT_EXPECT_GE(test, unit_count(DOWN, CRUISE, KCC_WHY_DRAINED), 10);
	KUNIT_EXPECT_TRUE(test, kcc_ca(path->sk)->proven);
	KUNIT_EXPECT_FALSE(test, kcc_ca(path->sk)->foreign);
}

static void life_on_a_shallow_buffer(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, UNIT_BDP / 10);
	u32 lost;

	unit_path_run(path, 2 * USEC_PER_SEC, NULL);
	lost = tcp_sk(path->sk)->lost;
	KUNIT_EXPECT_GE(test, use_percent(path, 10), 80);
	/* 2 % of 100 000 */
	KUNIT_EXPECT_LE(test, tcp_sk(path->sk)->lost - lost, 2000);
	expect_t_within_5_percent(test, path);
	expect_legal_arrows(test);
}

/* 2 % lost by the path itself: no reason to slow down. */
static void life_on_a_lossy_path(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 20 * UNIT_BDP);

	path->drop_every = 50;
	unit_path_run(path, 2 * USEC_PER_SEC, NULL);
	KUNIT_EXPECT_GE(test, use_percent(path, 10), 85);
	KUNIT_EXPECT_GE(test, kcc_ca(path->sk)->base_q16, 65536 / 100);
	KUNIT_EXPECT_LE(test, kcc_ca(path->sk)->base_q16, 65536 / 33);
	expect_legal_arrows(test);
}

/* Ten times the rate is found by doubling, not at a quarter a cycle. */
static void life_with_a_path_that_gets_faster(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 1000, UNIT_RTT_US, 20 * UNIT_BDP);

	unit_path_run(path, 4 * USEC_PER_SEC, NULL);
	path->pkt_us = 100;
	unit_path_run(path, 4 * USEC_PER_SEC, NULL);
	KUNIT_EXPECT_GE(test, unit_count(UP, STARTUP, KCC_WHY_ROOM), 1);
	KUNIT_EXPECT_GE(test, use_percent(path, 4), 85);
	expect_legal_arrows(test);
}

static bool is_in_down(const struct sock *sk)
{
	return kcc_state_id(kcc_ca(sk)) == DOWN;
}

static bool is_in_cruise(const struct sock *sk)
{
	return kcc_state_id(kcc_ca(sk)) == CRUISE;
}

/* Whatever the flow is doing when its rate falls to a quarter: its own queue is
 * no longer path.
 */
static void life_with_a_path_that_gets_slower(struct kunit *test)
{
	bool (*const when[])(const struct sock *sk) = { is_in_cruise, is_in_up, is_in_down };
	struct unit_path *path;
	u32 i;

	for (i = 0; i < 4 * ARRAY_SIZE(when); i++) {
		unit_arrow_count = 0;
		prandom_seed_state(&unit_rnd, i);
		path = unit_path(test, 100, UNIT_RTT_US, 40 * UNIT_BDP);
		unit_path_run(path, 4 * USEC_PER_SEC, NULL);
		unit_path_run(path, USEC_PER_SEC, when[i % ARRAY_SIZE(when)]);
		path->pkt_us = 400;
		unit_path_run(path, 10 * USEC_PER_SEC, NULL);
		KUNIT_EXPECT_GE_MSG(test, use_percent(path, 4), 85, "seed %u", i);
		/* four BDP of now */
		KUNIT_EXPECT_LE_MSG(test, path->max_queue_pkts, UNIT_BDP, "seed %u", i);
		KUNIT_EXPECT_EQ_MSG(test, unit_count(PROBE_RTT, CRUISE,
						     KCC_WHY_PATH_CHANGE), 0,
				    "seed %u", i);
		expect_t_within_5_percent(test, path);
		expect_legal_arrows(test);
	}
}

/* A route that is 2.5 times as long: full rate again within 12 s. */
static void life_with_a_path_that_gets_longer_at_once(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 20 * UNIT_BDP);

	unit_path_run(path, 4 * USEC_PER_SEC, NULL);
	path->rtt_us = UNIT_RTT_US * 5 / 2;
	unit_path_run(path, 12 * USEC_PER_SEC, NULL);
	KUNIT_EXPECT_EQ(test, unit_count(PROBE_RTT, CRUISE, KCC_WHY_PATH_CHANGE), 1);
	expect_t_within_5_percent(test, path);
	KUNIT_EXPECT_GE(test, use_percent(path, 4), 85);
	expect_legal_arrows(test);
}

/* Too little to be doubted, too much to be confirmed: PROBE_RTT finds it. */
static void life_with_a_path_that_gets_a_little_longer(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 20 * UNIT_BDP);

	unit_path_run(path, 4 * USEC_PER_SEC, NULL);
	path->rtt_us = UNIT_RTT_US * 5 / 4;
	unit_path_run(path, 16 * USEC_PER_SEC, NULL);
	expect_t_within_5_percent(test, path);
	KUNIT_EXPECT_GE(test, use_percent(path, 4), 85);
	expect_legal_arrows(test);
}

/* One that grows by 1 % each half second, as a satellite moves away. */
static void life_with_a_path_that_gets_longer_slowly(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 20 * UNIT_BDP);
	u32 i;

	unit_path_run(path, 4 * USEC_PER_SEC, NULL);
	for (i = 0; i < 70; i++) {
		path->rtt_us += path->rtt_us / 100;
		unit_path_run(path, USEC_PER_SEC / 2, NULL);
	}
	KUNIT_EXPECT_GE(test, use_percent(path, 4), 85);
	KUNIT_EXPECT_GE(test, kcc_model_rtt_us(path->sk), path->rtt_us * 8 / 10);
	expect_legal_arrows(test);
}

/* One that gets shorter: the queue is normal again within 2 s. */
static void life_with_a_path_that_gets_shorter(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, 100000, 20 * UNIT_BDP);

	unit_path_run(path, 4 * USEC_PER_SEC, NULL);
	path->rtt_us = UNIT_RTT_US;
	unit_path_run(path, 2 * USEC_PER_SEC, NULL);
	expect_t_within_5_percent(test, path);
	KUNIT_EXPECT_GE(test, use_percent(path, 4), 85);
	KUNIT_EXPECT_LE(test, path->max_queue_pkts, UNIT_BDP);
	expect_legal_arrows(test);
}

/* From 1 ms to 500 ms the flow finds its rate and keeps its T. */
static void life_on_short_and_long_paths(struct kunit *test)
{
	static const u32 rtts_us[] = { 1000, 10000, 150000, 500000 };
	struct unit_path *path;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rtts_us); i++) {
		unit_arrow_count = 0;
		path = unit_path(test, 200, rtts_us[i], 20 * UNIT_BDP);
		unit_path_run(path, 10 * USEC_PER_SEC + 10 * rtts_us[i], NULL);
		KUNIT_EXPECT_GE_MSG(test, use_percent(path, 10), 80, "%u us", rtts_us[i]);
		expect_t_within_5_percent(test, path);
		expect_legal_arrows(test);
	}
}

/* An application that writes in bursts: T is measured for free, bw is kept. */
static void life_with_an_application_that_pauses(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 20 * UNIT_BDP);
	u32 bw, i;

	unit_path_run(path, 4 * USEC_PER_SEC, NULL);
	bw = kcc_bw(kcc_ca(path->sk));
	for (i = 0; i < 10; i++) {
		path->app_us = 2000;
		unit_path_run(path, USEC_PER_SEC, NULL);
	}
	KUNIT_EXPECT_GE(test, kcc_bw(kcc_ca(path->sk)), bw * 8 / 10);
	expect_t_within_5_percent(test, path);
	path->app_us = 0;
	unit_path_run(path, USEC_PER_SEC, NULL);
	KUNIT_EXPECT_GE(test, use_percent(path, 4), 85);
	expect_legal_arrows(test);
}

/* So many seconds behind somebody who fills the queue and lets it go, 20 to 60 ms. */
static void run_behind_a_competitor(struct unit_path *path, u32 seconds)
{
	u32 i;

	for (i = 0; i < 50 * seconds; i++) {
		path->foreign_us = 20000 + i % 20 * 2000;
		unit_path_run(path, USEC_PER_SEC / 50, NULL);
	}
}

/* A competitor comes and goes: it is told from a path that is longer, takes no
 * rate away, and is forgotten.
 */
static void life_with_a_competitor(struct kunit *test)
{
	struct unit_path *path = unit_path(test, 100, UNIT_RTT_US, 20 * UNIT_BDP);
	struct kcc *kcc = kcc_ca(path->sk);
	u32 start;

	unit_path_run(path, 4 * USEC_PER_SEC, NULL);
	KUNIT_EXPECT_FALSE(test, kcc->foreign);
	run_behind_a_competitor(path, 30);
	KUNIT_EXPECT_TRUE(test, kcc->foreign);
	KUNIT_EXPECT_EQ(test, unit_count(PROBE_RTT, CRUISE, KCC_WHY_PATH_CHANGE), 0);
	KUNIT_EXPECT_LE(test, kcc_model_rtt_us(path->sk), UNIT_RTT_US * 5 / 4);
	start = tcp_sk(path->sk)->delivered;
	run_behind_a_competitor(path, 10);
	KUNIT_EXPECT_GE(test, (tcp_sk(path->sk)->delivered - start) / 1000, 70);
	path->foreign_us = 0;
	unit_path_run(path, 26 * USEC_PER_SEC, NULL);
	KUNIT_EXPECT_FALSE(test, kcc->foreign);
	expect_t_within_5_percent(test, path);
	KUNIT_EXPECT_GE(test, use_percent(path, 4), 85);
	KUNIT_EXPECT_LE(test, path->max_queue_pkts, UNIT_BDP);
	expect_legal_arrows(test);
}

/* The last case of all: the suites have walked the whole diagram. */
static void every_arrow_has_been_walked(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(legal_arrows); i++)
		KUNIT_EXPECT_TRUE_MSG(test, unit_has_walked(legal_arrows[i]),
				      "%s to %s, %s", unit_states[legal_arrows[i].from],
				      unit_states[legal_arrows[i].to],
				      unit_whys[legal_arrows[i].why]);
	KUNIT_EXPECT_LT(test, unit_walked_count, ARRAY_SIZE(unit_walked));
}

static struct kunit_case kcc_life_cases[] = {
	KUNIT_CASE(life_on_a_deep_buffer),
	KUNIT_CASE(life_on_a_shallow_buffer),
	KUNIT_CASE(life_on_a_lossy_path),
	KUNIT_CASE(life_with_a_path_that_gets_faster),
	KUNIT_CASE(life_with_a_path_that_gets_slower),
	KUNIT_CASE(life_with_a_path_that_gets_longer_at_once),
	KUNIT_CASE(life_with_a_path_that_gets_a_little_longer),
	KUNIT_CASE(life_with_a_path_that_gets_longer_slowly),
	KUNIT_CASE(life_with_a_path_that_gets_shorter),
	KUNIT_CASE(life_on_short_and_long_paths),
	KUNIT_CASE(life_with_an_application_that_pauses),
	KUNIT_CASE(life_with_a_competitor),
	KUNIT_CASE(every_arrow_has_been_walked),
	{}
};

struct kunit_suite kcc_life_suite = {
	.name = "kcc_life",
	.suite_init = unit_trace_begin,
	.suite_exit = unit_trace_end,
	.init = unit_case_init,
	.exit = unit_case_exit,
	.test_cases = kcc_life_cases,
};
