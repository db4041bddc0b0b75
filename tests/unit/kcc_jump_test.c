// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_jump: STARTUP with the memory of an earlier connection
 *
 * Included by tcp_kcc_unit.c.  A flow on a simulated path of 116 Mbit/s and 40 ms,
 * with an entry that says what the case wants it to say.
 */
#include <linux/ktime.h>

#define PATH_KBPS	115840U	/* 10 000 packets/s of 1448 bytes */
#define DEST		0x0a000001

static struct kcc_seed *jump_entry(const struct sock *sk)
{
	struct kcc_seeds *seeds = rcu_dereference_protected(kcc_net(sk)->seeds, 1);
	struct kcc_seed_key key;
	struct kcc_seed *seed;

	kcc_seed_key(sk, 0, &key);
	rcu_read_lock();
	seed = kcc_seed_find(seeds, &key);
	rcu_read_unlock();
	return seed;
}

/* How often this outcome has been counted since the case began. */
static u32 jump_counted(const struct sock *sk, enum kcc_seed_outcome outcome)
{
	struct kcc_seeds *seeds = rcu_dereference_protected(kcc_net(sk)->seeds, 1);

	return atomic_read(&seeds->outcomes[outcome]);
}

static void jump_connect(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	sk->sk_family = AF_INET;
	sk->sk_daddr = htonl(DEST);
	sk->sk_state = TCP_ESTABLISHED;
	tp->snd_wnd = 1U << 30;
	kcc_init(sk);
}

/* A flow that begins, to a destination of which this is known. */
static struct unit_path *jump_path(struct kunit *test, u32 pkt_us, u32 rtt_us,
				   u32 buffer_pkts, u32 known_kbps)
{
	struct unit_path *path = unit_path(test, pkt_us, rtt_us, buffer_pkts);
	struct kcc_seeds *seeds;
	struct kcc_seed *seed;
	u32 i;

	kcc_net(path->sk)->kf_enable = 1;
	jump_connect(path->sk);
	seed = jump_entry(path->sk);
	KUNIT_ASSERT_NOT_NULL(test, seed);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(path->sk)->jump, KCC_JUMP_NONE);
	for (i = 0; i < 20; i++)
		kcc_seed_estimate(seed, known_kbps, (u32)ktime_get_boottime_seconds());
	kcc_seed_sum(seed, known_kbps, tcp_jiffies32, &(u32){ 99 });
	seed->rtt_us = UNIT_RTT_US;
	kcc_jump_release(path->sk);
	seeds = rcu_dereference_protected(kcc_net(path->sk)->seeds, 1);
	for (i = 0; i < KCC_SEED_OUTCOME_COUNT; i++)
		atomic_set(&seeds->outcomes[i], 0);
	kcc_init(path->sk);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(path->sk)->jump, KCC_JUMP_RECON);
	return path;
}

static struct unit_path *jump_usual(struct kunit *test)
{
	return jump_path(test, 100, UNIT_RTT_US, UNIT_BDP, PATH_KBPS);
}

static void jump_close(struct unit_path *path)
{
	kcc_jump_release(path->sk);
}

static bool is_past_recon(const struct sock *sk)
{
	return kcc_ca(sk)->jump != KCC_JUMP_RECON;
}

static bool is_flying(const struct sock *sk)
{
	return kcc_ca(sk)->jump == KCC_JUMP_FLIGHT;
}

static bool is_checking(const struct sock *sk)
{
	return kcc_ca(sk)->jump == KCC_JUMP_CHECK;
}

static bool is_settled(const struct sock *sk)
{
	return kcc_ca(sk)->jump == KCC_JUMP_NONE || kcc_ca(sk)->jump == KCC_JUMP_DONE;
}

static u32 delivered_pkts(struct unit_path *path, u32 us)
{
	unit_path_run(path, us, NULL);
	return tcp_sk(path->sk)->delivered;
}

/* --- the way of a jump ----------------------------------------------------- */

static void jump_is_validated_and_faster(struct kunit *test)
{
	struct unit_path *cold = unit_path(test, 100, UNIT_RTT_US, UNIT_BDP);
	u32 cold_pkts = delivered_pkts(cold, 6 * UNIT_RTT_US);
	struct unit_path *path = jump_usual(test);

	KUNIT_EXPECT_GE(test, delivered_pkts(path, 6 * UNIT_RTT_US), 3 * cold_pkts);
	KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_USED), 1);
	KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_VALIDATED), 1);
	KUNIT_EXPECT_EQ(test, tcp_sk(path->sk)->lost, 0);
	KUNIT_EXPECT_EQ(test, jump_entry(path->sk)->jump_kbps, 0);
	jump_close(path);
	KUNIT_EXPECT_EQ(test, jump_entry(path->sk)->live, 0);
}

/* The usual initial window and nothing else, until all of it is acked. */
static void jump_waits_for_the_initial_window(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(path->sk)), TCP_INIT_CWND);
	KUNIT_EXPECT_TRUE(test, unit_path_run(path, 2 * UNIT_RTT_US, is_past_recon));
	KUNIT_EXPECT_EQ(test, tcp_sk(path->sk)->delivered, TCP_INIT_CWND);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(path->sk)->jump, KCC_JUMP_TRAIN);
	jump_close(path);
}

static void train_and_flight_are_paced_at_the_discount(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);
	struct tcp_sock *tp = tcp_sk(path->sk);
	u32 flight_pkts;

	unit_path_run(path, 2 * UNIT_RTT_US, is_past_recon);
	flight_pkts = tcp_packets_in_flight(tp);
	KUNIT_EXPECT_LE(test, tcp_snd_cwnd(tp), flight_pkts + KCC_TRAIN_PKTS);
	/* the RTT holds a packet's own time as well, which makes it a little less */
	KUNIT_EXPECT_LE(test, jump_entry(path->sk)->jump_kbps, PATH_KBPS / 2);
	KUNIT_EXPECT_GE(test, jump_entry(path->sk)->jump_kbps, PATH_KBPS * 49 / 100);
	KUNIT_EXPECT_TRUE(test, unit_path_run(path, 2 * UNIT_RTT_US, is_flying));
	KUNIT_EXPECT_LE(test, path->sk->sk_pacing_rate, PATH_KBPS / 2 * 125UL);
	KUNIT_EXPECT_GE(test, path->sk->sk_pacing_rate, PATH_KBPS / 2 * 110UL);
	KUNIT_EXPECT_LE(test, tcp_snd_cwnd(tp), UNIT_BDP / 2 + 16);
	KUNIT_EXPECT_TRUE(test, unit_path_run(path, 2 * UNIT_RTT_US, is_checking));
	KUNIT_EXPECT_LE_MSG(test, path->max_queue_pkts, 12, "half of what the path carries");
	jump_close(path);
}

/* A small one needs no train: it is one. */
static void small_jump_flies_at_once(struct kunit *test)
{
	struct unit_path *path = jump_path(test, 100, UNIT_RTT_US, UNIT_BDP, PATH_KBPS / 4);

	unit_path_run(path, 2 * UNIT_RTT_US, is_past_recon);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(path->sk)->jump, KCC_JUMP_FLIGHT);
	jump_close(path);
}

static void closed_window_of_the_receiver_prolongs_the_flight(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	unit_path_run(path, 4 * UNIT_RTT_US, is_flying);
	tcp_sk(path->sk)->packets_out = 10;	/* few of them came out */
	kcc_jump_land(path->sk);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(path->sk)->jump, KCC_JUMP_FLIGHT);
	tcp_sk(path->sk)->packets_out = UNIT_BDP / 2;
	kcc_jump_land(path->sk);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(path->sk)->jump, KCC_JUMP_CHECK);
	jump_close(path);
}

static void gain_falls_near_the_full_share(struct kunit *test)
{
	struct kcc kcc = { .jump = KCC_JUMP_DONE, .ceiling_bw = UNIT_BW };

	kcc_set_bw(&kcc, UNIT_BW / 4);
	KUNIT_EXPECT_EQ(test, kcc_jump_limit_gain(&kcc, 2 * KCC_UNIT), 2 * KCC_UNIT);
	kcc_set_bw(&kcc, UNIT_BW * 5 / 6);
	KUNIT_EXPECT_LE(test, kcc_jump_limit_gain(&kcc, 2 * KCC_UNIT), KCC_UNIT * 3 / 2);
	kcc_set_bw(&kcc, UNIT_BW * 2);
	KUNIT_EXPECT_EQ(test, kcc_jump_limit_gain(&kcc, 2 * KCC_UNIT), KCC_UNIT * 5 / 4);
	kcc.jump = KCC_JUMP_NONE;
	KUNIT_EXPECT_EQ(test, kcc_jump_limit_gain(&kcc, 2 * KCC_UNIT), 2 * KCC_UNIT);
	kcc.jump = KCC_JUMP_DONE;
	kcc.ceiling_bw = 0;
	KUNIT_EXPECT_EQ(test, kcc_jump_limit_gain(&kcc, 2 * KCC_UNIT), 2 * KCC_UNIT);
}

/* --- refused ---------------------------------------------------------------- */

static void expect_refused(struct kunit *test, struct unit_path *path,
			   enum kcc_seed_outcome outcome, bool forgotten)
{
	struct kcc_seed *seed = jump_entry(path->sk);

	unit_path_run(path, 8 * path->rtt_us, NULL);
	KUNIT_EXPECT_EQ_MSG(test, jump_counted(path->sk, outcome), 1, "%s",
			    kcc_seed_outcome_names[outcome]);
	KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_VALIDATED), 0);
	KUNIT_EXPECT_EQ(test, seed->jump_kbps, 0);
	KUNIT_EXPECT_EQ(test, !seed->peak_kbps, forgotten);
	jump_close(path);
}

static void loss_in_reconnaissance_refuses(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	path->drop_every = 5;
	expect_refused(test, path, KCC_SEED_LOSS, true);
}

static void mark_in_reconnaissance_refuses(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	tcp_sk(path->sk)->delivered_ce++;
	expect_refused(test, path, KCC_SEED_CE, true);
}

static void longer_path_refuses(struct kunit *test)
{
	expect_refused(test, jump_path(test, 100, 2 * UNIT_RTT_US, UNIT_BDP, PATH_KBPS),
		       KCC_SEED_RTT_HIGH, true);
}

static void shorter_path_refuses(struct kunit *test)
{
	expect_refused(test, jump_path(test, 100, UNIT_RTT_US / 2 - 200, UNIT_BDP, PATH_KBPS),
		       KCC_SEED_RTT_LOW, true);
}

static void spent_budget_refuses(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);
	struct kcc_seed *seed = jump_entry(path->sk);

	seed->jump_kbps = PATH_KBPS;
	seed->jump_jif = tcp_jiffies32;
	unit_path_run(path, 8 * UNIT_RTT_US, NULL);
	KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_BUDGET), 1);
	KUNIT_EXPECT_EQ(test, seed->jump_kbps, PATH_KBPS);
	seed->jump_kbps = 0;
	jump_close(path);
}

static void jump_without_gain_is_refused(struct kunit *test)
{
	expect_refused(test, jump_path(test, 100, UNIT_RTT_US, UNIT_BDP, PATH_KBPS / 20),
		       KCC_SEED_NO_GAIN, false);
}

static void old_entry_is_refused(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	jump_entry(path->sk)->fed_s -= kcc_net(path->sk)->kf_max_age + 1;
	expect_refused(test, path, KCC_SEED_OLD, true);
}

static void jump_is_refused_when_seeding_was_switched_off(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	kcc_net(path->sk)->kf_enable = 0;
	expect_refused(test, path, KCC_SEED_LATE, false);
}

static void startup_that_ends_before_is_late(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);
	struct kcc_ack ack = {};

	kcc_jump_leave(path->sk, &ack);
	KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_LATE), 1);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(path->sk)->jump, KCC_JUMP_NONE);
	jump_close(path);
}

/* A connection that trickles does not keep its reconnaissance open for ever. */
static void application_that_trickles_is_late(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	path->app_us = 10000;
	unit_path_run(path, 10 * UNIT_RTT_US, NULL);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(path->sk)->jump, KCC_JUMP_RECON);
	unit_path_run(path, 10 * UNIT_RTT_US, NULL);
	KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_LATE), 1);
	path->drop_every = 5;
	unit_path_run(path, 20 * UNIT_RTT_US, NULL);
	KUNIT_EXPECT_GT(test, jump_entry(path->sk)->peak_kbps, 0);
	jump_close(path);
}

/* --- wrong ------------------------------------------------------------------ */

/* The path is 20 times slower than remembered: no more than 1.5 times the losses
 * of a flow that knows nothing.  The same entry is what a receiver leaves that
 * acked what it never got: nobody else starts above what really comes through.
 */
static void path_20_times_slower_is_seen_by_the_train(struct kunit *test)
{
	static const u32 buffers_pkts[] = { 10, 30, 100 };
	struct unit_path *cold, *path;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(buffers_pkts); i++) {
		cold = unit_path(test, 2000, UNIT_RTT_US, buffers_pkts[i]);
		unit_path_run(cold, USEC_PER_SEC, NULL);
		path = jump_path(test, 2000, UNIT_RTT_US, buffers_pkts[i], PATH_KBPS);
		unit_path_run(path, USEC_PER_SEC, NULL);
		kunit_info(test, "buffer %u: %u lost cold, %u warm (slow %u, retreated %u, x %u)\n",
			   buffers_pkts[i], tcp_sk(cold->sk)->lost, tcp_sk(path->sk)->lost,
			   jump_counted(path->sk, KCC_SEED_SLOW),
			   jump_counted(path->sk, KCC_SEED_RETREATED),
			   jump_entry(path->sk)->x_kbps);
		KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_VALIDATED), 0);
		/* fed again, by what really came through */
		KUNIT_EXPECT_LE(test, jump_entry(path->sk)->x_kbps, PATH_KBPS / 15);
		KUNIT_EXPECT_LE(test, tcp_sk(path->sk)->lost,
				KCC_TRAIN_PKTS + tcp_sk(cold->sk)->lost * 3 / 2);
		jump_close(path);
	}
}

/* Half as fast: the jump itself fits, only its doubling does not. */
static void path_half_as_fast_is_little_harm(struct kunit *test)
{
	struct unit_path *path = jump_path(test, 200, UNIT_RTT_US, UNIT_BDP / 2, PATH_KBPS);

	unit_path_run(path, 10 * UNIT_RTT_US, NULL);
	kunit_info(test, "lost %u of a BDP of %u\n", tcp_sk(path->sk)->lost, UNIT_BDP / 2);
	KUNIT_EXPECT_LE(test, tcp_sk(path->sk)->lost, UNIT_BDP / 5);
	jump_close(path);
}

static void congestion_in_flight_retreats(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);
	struct kcc_seed *seed = jump_entry(path->sk);
	u32 bw;

	unit_path_run(path, 4 * UNIT_RTT_US, is_flying);
	path->drop_every = 3;
	unit_path_run(path, 2 * UNIT_RTT_US, is_checking);
	bw = kcc_ca(path->sk)->bw_max[0];
	KUNIT_EXPECT_TRUE(test, unit_path_run(path, 2 * UNIT_RTT_US, is_settled));
	KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_RETREATED), 1);
	expect_state(test, path->sk, DRAIN);
	KUNIT_EXPECT_LE(test, kcc_bw(kcc_ca(path->sk)),
			kcc_fp_kbps_to_bw(PATH_KBPS, UNIT_MSS) / 2);
	KUNIT_EXPECT_GT(test, bw, 0);
	KUNIT_EXPECT_EQ(test, seed->x_kbps, 0);
	KUNIT_EXPECT_EQ(test, seed->jump_kbps, 0);
	jump_close(path);
}

static void mark_in_flight_retreats(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	unit_path_run(path, 4 * UNIT_RTT_US, is_flying);
	tcp_sk(path->sk)->delivered_ce++;
	unit_path_run(path, UNIT_RTT_US, is_settled);
	KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_RETREATED), 1);
	jump_close(path);
}

/* The path's own losses, one in 200, are no reason. */
static void few_losses_in_flight_do_not_retreat(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	unit_path_run(path, 4 * UNIT_RTT_US, is_flying);
	path->drop_every = 200;
	unit_path_run(path, 4 * UNIT_RTT_US, is_settled);
	KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_RETREATED), 0);
	KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_VALIDATED), 1);
	jump_close(path);
}

/* --- ends ------------------------------------------------------------------- */

static void unused_jump_expires_and_leaves_nothing(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	unit_path_run(path, 4 * UNIT_RTT_US, is_flying);
	path->app_us = 5000;
	unit_path_run(path, 12 * UNIT_RTT_US, NULL);
	KUNIT_EXPECT_TRUE(test, is_settled(path->sk));
	KUNIT_EXPECT_LE(test, tcp_snd_cwnd(tcp_sk(path->sk)), UNIT_BDP / 2);
	jump_close(path);
	KUNIT_EXPECT_EQ(test, jump_entry(path->sk)->live, 0);
}

static void idle_ends_a_jump_and_returns_its_rate(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	unit_path_run(path, 4 * UNIT_RTT_US, is_flying);
	tcp_sk(path->sk)->app_limited = 1;
	kcc_idle_restart(path->sk);
	KUNIT_EXPECT_EQ(test, jump_counted(path->sk, KCC_SEED_EXPIRED), 1);
	KUNIT_EXPECT_EQ(test, jump_entry(path->sk)->jump_kbps, 0);
	KUNIT_EXPECT_LT(test, kcc_bw(kcc_ca(path->sk)),
			kcc_fp_kbps_to_bw(PATH_KBPS / 2, UNIT_MSS));
	jump_close(path);
}

static void close_returns_what_was_granted(struct kunit *test)
{
	struct unit_path *path = jump_usual(test);

	unit_path_run(path, 4 * UNIT_RTT_US, is_flying);
	KUNIT_EXPECT_GT(test, jump_entry(path->sk)->jump_kbps, 0);
	kcc_jump_release(path->sk);
	KUNIT_EXPECT_EQ(test, jump_entry(path->sk)->jump_kbps, 0);
	KUNIT_EXPECT_EQ(test, jump_entry(path->sk)->live, 0);
	kcc_jump_release(path->sk);
	KUNIT_EXPECT_EQ(test, jump_entry(path->sk)->live, 0);
}

/* --- feeding ---------------------------------------------------------------- */

static void cruise_feeds_the_rate_of_the_path(struct kunit *test)
{
	struct unit_path *path = jump_path(test, 100, UNIT_RTT_US, UNIT_BDP, PATH_KBPS);
	struct kcc_seed *seed = jump_entry(path->sk);

	kcc_seed_forget(seed);
	unit_path_run(path, 4 * USEC_PER_SEC, NULL);
	KUNIT_EXPECT_GE(test, seed->x_kbps, PATH_KBPS * 9 / 10);
	KUNIT_EXPECT_LE(test, seed->x_kbps, PATH_KBPS * 101 / 100);
	KUNIT_EXPECT_GE(test, seed->samples, 20);
	jump_close(path);
}

/* Everything that a round must be: each alone spoils it. */
static void only_full_rounds_of_cruise_feed(struct kunit *test)
{
	static const char *const what[] = {
		"nothing", "application", "loss", "earlier loss", "no rate", "drained window",
		"first rounds", "another phase", "after a cut", "recovery", "off",
	};
	struct kcc_seed *seed;
	struct rate_sample rs;
	struct unit_path *path;
	struct kcc_ack ack;
	struct kcc *kcc;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(what); i++) {
		path = jump_usual(test);
		kcc = kcc_ca(path->sk);
		seed = jump_entry(path->sk);
		seed->samples = 0;
		kcc->jump = KCC_JUMP_NONE;
		kcc->phase = i == 7 ? KCC_DOWN : KCC_CRUISE;
		kcc->rounds = i == 6 ? 2 : 3;
		kcc->round_start = 1;
		kcc->window_open = i == 5;
		kcc->loss_hold = i == 8;
		tcp_sk(path->sk)->lost += i == 3;
		rs = (struct rate_sample){ .is_app_limited = i == 1, .losses = i == 2 };
		ack = (struct kcc_ack){
			.rs = &rs,
			.bw = i == 4 ? 0 : kcc_fp_kbps_to_bw(PATH_KBPS, UNIT_MSS),
		};
		inet_csk(path->sk)->icsk_ca_state = i == 9 ? TCP_CA_Recovery : TCP_CA_Open;
		kcc_net(path->sk)->kf_enable = i != 10;
		kcc_seed_feed(path->sk, &ack);
		KUNIT_EXPECT_EQ_MSG(test, seed->samples, i == 0, "%s", what[i]);
		jump_close(path);
	}
}

/* --- who is not seeded ------------------------------------------------------ */

/* To a destination that is new, the same life packet by packet as without. */
static void unknown_destination_changes_nothing(struct kunit *test)
{
	struct unit_path *off, *on;
	struct kcc kcc;

	prandom_seed_state(&unit_rnd, 1);
	off = unit_path(test, 100, UNIT_RTT_US, UNIT_BDP);
	unit_path_run(off, 2 * USEC_PER_SEC, NULL);
	prandom_seed_state(&unit_rnd, 1);
	on = unit_path(test, 100, UNIT_RTT_US, UNIT_BDP);
	kcc_net(on->sk)->kf_enable = 1;
	jump_connect(on->sk);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(on->sk)->seed_scope, 1);
	unit_path_run(on, 2 * USEC_PER_SEC, NULL);
	KUNIT_EXPECT_EQ(test, tcp_sk(on->sk)->delivered, tcp_sk(off->sk)->delivered);
	KUNIT_EXPECT_EQ(test, tcp_snd_cwnd(tcp_sk(on->sk)), tcp_snd_cwnd(tcp_sk(off->sk)));
	KUNIT_EXPECT_EQ(test, on->sk->sk_pacing_rate, off->sk->sk_pacing_rate);
	kcc = *kcc_ca(on->sk);
	kcc.seed_scope = 0;
	kcc.seed_window = 0;
	kcc.fresh_ticks = kcc_ca(off->sk)->fresh_ticks;	/* jiffies go on */
	KUNIT_EXPECT_MEMEQ(test, &kcc, kcc_ca(off->sk), sizeof(kcc));
	jump_close(on);
}

static struct kunit_case kcc_jump_cases[] = {
	KUNIT_CASE(jump_is_validated_and_faster),
	KUNIT_CASE(jump_waits_for_the_initial_window),
	KUNIT_CASE(train_and_flight_are_paced_at_the_discount),
	KUNIT_CASE(small_jump_flies_at_once),
	KUNIT_CASE(closed_window_of_the_receiver_prolongs_the_flight),
	KUNIT_CASE(gain_falls_near_the_full_share),
	KUNIT_CASE(loss_in_reconnaissance_refuses),
	KUNIT_CASE(mark_in_reconnaissance_refuses),
	KUNIT_CASE(longer_path_refuses),
	KUNIT_CASE(shorter_path_refuses),
	KUNIT_CASE(spent_budget_refuses),
	KUNIT_CASE(jump_without_gain_is_refused),
	KUNIT_CASE(old_entry_is_refused),
	KUNIT_CASE(jump_is_refused_when_seeding_was_switched_off),
	KUNIT_CASE(startup_that_ends_before_is_late),
	KUNIT_CASE(application_that_trickles_is_late),
	KUNIT_CASE(path_20_times_slower_is_seen_by_the_train),
	KUNIT_CASE(path_half_as_fast_is_little_harm),
	KUNIT_CASE(congestion_in_flight_retreats),
	KUNIT_CASE(mark_in_flight_retreats),
	KUNIT_CASE(few_losses_in_flight_do_not_retreat),
	KUNIT_CASE(unused_jump_expires_and_leaves_nothing),
	KUNIT_CASE(idle_ends_a_jump_and_returns_its_rate),
	KUNIT_CASE(close_returns_what_was_granted),
	KUNIT_CASE(cruise_feeds_the_rate_of_the_path),
	KUNIT_CASE(only_full_rounds_of_cruise_feed),
	KUNIT_CASE(unknown_destination_changes_nothing),
	{}
};

struct kunit_suite kcc_jump_suite = {
	.name = "kcc_jump",
	.suite_init = unit_trace_begin,
	.suite_exit = unit_trace_end,
	.init = unit_case_init,
	.exit = unit_case_exit,
	.test_cases = kcc_jump_cases,
};
