// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_seed: what is remembered of a destination
 *
 * Includes kcc_seed.c.  The estimator and the budget are called as they are; the
 * table by sockets without a network.
 */
#include <linux/prandom.h>
#include "../../kcc_seed.c"
#include "kcc_unit.h"

#define RATE	100000U	/* kbit/s */

static struct kcc_seed *seed_of_rate(struct kunit *test, u32 kbps)
{
	struct kcc_seed *seed = kunit_kzalloc(test, sizeof(*seed), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, seed);
	seed->rtt_us = UNIT_RTT_US;
	seed->live = 1;
	for (i = 0; i < 40; i++)
		kcc_seed_estimate(seed, kbps, 0);
	return seed;
}

/* A rate with noise of at most this many percent to either side. */
static u32 noisy(struct rnd_state *rnd, u32 kbps, u32 pct)
{
	u32 range = kbps * pct / 50;

	return range ? kbps - range / 2 + prandom_u32_state(rnd) % range : kbps;
}

static void expect_near(struct kunit *test, u32 value, u32 wanted, u32 pct)
{
	KUNIT_EXPECT_GE(test, value, wanted - wanted * pct / 100);
	KUNIT_EXPECT_LE(test, value, wanted + wanted * pct / 100);
}

/* --- estimator ------------------------------------------------------------ */

static void entry_fits_128_bytes(struct kunit *test)
{
	if (sizeof(spinlock_t) > 4)
		kunit_skip(test, "spinlocks of this kernel hold debugging data");
	KUNIT_EXPECT_LE(test, sizeof(struct kcc_seed), 128);
}

static void estimate_starts_from_the_first_sample(struct kunit *test)
{
	struct kcc_seed seed = {};

	KUNIT_EXPECT_TRUE(test, kcc_seed_estimate(&seed, RATE, 0));
	KUNIT_EXPECT_EQ(test, seed.x_kbps, RATE);
	KUNIT_EXPECT_EQ(test, seed.p_kbps2, (u64)(RATE / 2) * (RATE / 2));
}

static void estimate_averages_noise(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, RATE);
	struct rnd_state rnd;
	u32 i;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 200; i++) {
		KUNIT_EXPECT_TRUE(test, kcc_seed_estimate(seed, noisy(&rnd, RATE, 20), 0));
		expect_near(test, seed->x_kbps, RATE, 12);
	}
}

static void one_outlier_moves_nothing(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, RATE);
	u64 p_kbps2 = seed->p_kbps2;

	KUNIT_EXPECT_FALSE(test, kcc_seed_estimate(seed, RATE * 3, 0));
	KUNIT_EXPECT_EQ(test, seed->x_kbps, RATE);
	KUNIT_EXPECT_GT(test, seed->p_kbps2, p_kbps2);
	KUNIT_EXPECT_FALSE(test, kcc_seed_estimate(seed_of_rate(test, RATE), RATE / 3, 0));
}

/* Whatever the factor and the noise: within 15 % after 20 rounds. */
static void estimate_follows_a_lasting_change_in_20_rounds(struct kunit *test)
{
	static const u32 factors_pct[] = { 1, 5, 25, 50, 70, 130, 200, 400, 2000 };
	struct kcc_seed *seed;
	struct rnd_state rnd;
	u32 i, k, wanted, rounds;

	for (i = 0; i < 10 * ARRAY_SIZE(factors_pct); i++) {
		prandom_seed_state(&rnd, i);
		seed = seed_of_rate(test, RATE);
		wanted = RATE / 100 * factors_pct[i % ARRAY_SIZE(factors_pct)];
		for (k = 0, rounds = 0; k < 20; k++) {
			kcc_seed_estimate(seed, noisy(&rnd, wanted, 10), 0);
			rounds += abs((s32)(seed->x_kbps - wanted)) > wanted * 15 / 100;
		}
		expect_near(test, seed->x_kbps, wanted, 15);
		if (i < ARRAY_SIZE(factors_pct))
			kunit_info(test, "to %u %%: within 15 %% after %u rounds\n",
				   factors_pct[i], rounds);
	}
}

static void time_widens_the_gate(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, RATE);

	KUNIT_EXPECT_FALSE(test, kcc_seed_estimate(seed, RATE * 5 / 2, 1));
	seed = seed_of_rate(test, RATE);
	KUNIT_EXPECT_TRUE(test, kcc_seed_estimate(seed, RATE * 5 / 2, 64));
	KUNIT_EXPECT_GT(test, seed->x_kbps, RATE * 3 / 2);
}

static void variance_keeps_its_bounds(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, RATE);
	u32 i;

	for (i = 0; i < 1000; i++)
		kcc_seed_estimate(seed, RATE, 0);
	KUNIT_EXPECT_GE(test, seed->p_kbps2, kcc_seed_pmin_kbps2(seed));
	for (i = 0; i < 7; i++)
		kcc_seed_estimate(seed, 10 * RATE, 0);
	KUNIT_EXPECT_LE(test, seed->p_kbps2, kcc_seed_pmax_kbps2(seed));
}

/* The squares of the largest and the smallest rate stay in 64 bits. */
static void extreme_rates_do_not_overflow(struct kunit *test)
{
	static const u32 rates_kbps[] = { 0, 1, 2, U32_MAX, S32_MAX, 3, U32_MAX };
	struct kcc_seed *seed;
	u32 i, k, wanted;

	for (i = 0; i < ARRAY_SIZE(rates_kbps); i++) {
		seed = seed_of_rate(test, RATE);
		for (k = 0; k < 40; k++)
			kcc_seed_estimate(seed, rates_kbps[i], 0);
		wanted = min_t(u32, rates_kbps[i], S32_MAX);
		/* steps are rounded towards x, at a gain of a fifth or more */
		KUNIT_EXPECT_LE(test, abs((s32)(seed->x_kbps - wanted)), 8 + wanted / 100);
		KUNIT_EXPECT_LE(test, seed->p_kbps2, kcc_seed_pmax_kbps2(seed));
	}
}

static void peak_is_monotone_and_settled(struct kunit *test)
{
	struct kcc_seed seed = {};
	u32 i;

	kcc_seed_estimate(&seed, 5 * RATE, 0);
	KUNIT_EXPECT_EQ_MSG(test, seed.peak_kbps, 0, "a first sample is no peak");
	for (i = 0; i < 40; i++)
		kcc_seed_estimate(&seed, RATE, 0);
	expect_near(test, seed.peak_kbps, RATE, 1);
	for (i = 0; i < 40; i++)
		kcc_seed_estimate(&seed, RATE / 2, 0);
	expect_near(test, seed.peak_kbps, RATE, 1);
	expect_near(test, seed.x_kbps, RATE / 2, 1);
	for (i = 0; i < 40; i++)
		kcc_seed_estimate(&seed, RATE * 3 / 2, 0);
	expect_near(test, seed.peak_kbps, RATE * 3 / 2, 1);
}

/* --- what all have together ----------------------------------------------- */

static void sum_counts_each_connection_once_a_window(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, RATE);
	u32 windows[4] = { 3, 3, 3, 3 }, i, k;

	for (k = 0; k < 10; k++)
		for (i = 0; i < ARRAY_SIZE(windows); i++)
			kcc_seed_sum(seed, RATE, 0, &windows[i]);
	KUNIT_EXPECT_EQ(test, kcc_seed_together_kbps(seed), 4 * RATE);
}

static void sum_forgets_who_has_left_after_two_windows(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, RATE);
	u32 window = 3, other = 3, i;

	for (i = 0; i < 3; i++) {
		kcc_seed_sum(seed, RATE, i * HZ, &window);
		if (i == 0)
			kcc_seed_sum(seed, RATE, i * HZ, &other);
		KUNIT_EXPECT_EQ(test, kcc_seed_together_kbps(seed), i < 2 ? 2 * RATE : RATE);
	}
}

static void sum_window_lasts_20_rtts(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, RATE);
	u32 window = 3;

	seed->rtt_us = USEC_PER_SEC;
	kcc_seed_sum(seed, RATE, 0, &window);
	kcc_seed_sum(seed, RATE, 20 * HZ - 1, &window);
	KUNIT_EXPECT_EQ(test, (u32)seed->window, 0);
	kcc_seed_sum(seed, RATE, 20 * HZ, &window);
	KUNIT_EXPECT_EQ(test, (u32)seed->window, 1);
}

/* --- share and budget ----------------------------------------------------- */

static struct kcc_seed *seed_of_four(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, 464000);

	seed->sum_kbps[0] = 4 * 464000;
	seed->live = 4;
	return seed;
}

static void share_is_the_estimate_or_the_peak(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_four(test);

	seed->live = 1;
	seed->peak_kbps = 600000;
	KUNIT_EXPECT_EQ(test, kcc_seed_share_kbps(seed, false), 464000);
	KUNIT_EXPECT_EQ(test, kcc_seed_share_kbps(seed, true), 600000);
	seed->peak_kbps = 0;
	KUNIT_EXPECT_EQ(test, kcc_seed_share_kbps(seed, true), 464000);
}

/* RFC 9040: a share, not a copy. */
static void share_is_never_more_than_an_equal_one(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_four(test);

	KUNIT_EXPECT_EQ(test, kcc_seed_share_kbps(seed, false), 464000);
	seed->live = 8;
	KUNIT_EXPECT_EQ(test, kcc_seed_share_kbps(seed, false), 232000);
	seed->live = 0;
	KUNIT_EXPECT_EQ(test, kcc_seed_share_kbps(seed, false), 464000);
}

/* The example of the design: four jump to 232 each, a fifth finds nothing. */
static void budget_serves_four_and_refuses_the_fifth(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_four(test);
	u32 kbps, i;

	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, kcc_seed_grant(seed, 464000, 50, HZ, &kbps),
				KCC_SEED_USED);
		KUNIT_EXPECT_EQ(test, kbps, 232000);
	}
	KUNIT_EXPECT_EQ(test, kcc_seed_grant(seed, 464000, 50, HZ, &kbps), KCC_SEED_BUDGET);
	KUNIT_EXPECT_EQ(test, seed->jump_kbps, 928000);
	kcc_seed_return(seed, 232000);
	KUNIT_EXPECT_EQ(test, kcc_seed_grant(seed, 464000, 50, HZ, &kbps), KCC_SEED_USED);
}

static void budget_gives_the_rest_unless_it_is_too_little(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_four(test);
	u32 kbps;

	seed->jump_jif = HZ;
	seed->jump_kbps = 928000 - 58000;
	KUNIT_EXPECT_EQ(test, kcc_seed_grant(seed, 464000, 50, HZ, &kbps), KCC_SEED_USED);
	KUNIT_EXPECT_EQ(test, kbps, 58000);
	seed->jump_kbps = 928000 - 57999;
	KUNIT_EXPECT_EQ(test, kcc_seed_grant(seed, 464000, 50, HZ, &kbps), KCC_SEED_BUDGET);
}

static void budget_times_out(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_four(test);
	u32 kbps;

	seed->jump_jif = HZ;
	seed->jump_kbps = 928000;
	KUNIT_EXPECT_EQ(test, kcc_seed_grant(seed, 464000, 50, 9 * HZ, &kbps),
			KCC_SEED_BUDGET);
	KUNIT_EXPECT_EQ(test, kcc_seed_grant(seed, 464000, 50, 9 * HZ + 1, &kbps),
			KCC_SEED_USED);
	KUNIT_EXPECT_EQ(test, seed->jump_kbps, 232000);
	kcc_seed_return(seed, U32_MAX);
	KUNIT_EXPECT_EQ_MSG(test, seed->jump_kbps, 0, "never below nothing");
}

static void discount_decides_the_jump(struct kunit *test)
{
	static const u32 discounts_pct[] = { 1, 50, 100 };
	struct kcc_seed *seed;
	u32 i, kbps;

	for (i = 0; i < ARRAY_SIZE(discounts_pct); i++) {
		seed = seed_of_four(test);
		kcc_seed_grant(seed, 464000, discounts_pct[i], 0, &kbps);
		KUNIT_EXPECT_EQ(test, kbps, 4640 * discounts_pct[i]);
	}
}

/* --- what the reconnaissance may say --------------------------------------- */

static void check_compares_age_and_rtt(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, RATE);
	u32 rtt_us = seed->rtt_us;

	seed->fed_s = kcc_seed_now_s() - 10;
	KUNIT_EXPECT_EQ(test, kcc_seed_check(seed, 20, rtt_us, rtt_us), KCC_SEED_USED);
	KUNIT_EXPECT_EQ(test, kcc_seed_check(seed, 5, rtt_us, rtt_us), KCC_SEED_OLD);
	KUNIT_EXPECT_EQ(test, kcc_seed_check(seed, 20, rtt_us / 2 + 1, rtt_us), KCC_SEED_USED);
	KUNIT_EXPECT_EQ(test, kcc_seed_check(seed, 20, rtt_us / 2, rtt_us), KCC_SEED_RTT_LOW);
	KUNIT_EXPECT_EQ(test, kcc_seed_check(seed, 20, rtt_us, 2 * rtt_us - 1), KCC_SEED_USED);
	KUNIT_EXPECT_EQ(test, kcc_seed_check(seed, 20, rtt_us, 2 * rtt_us), KCC_SEED_RTT_HIGH);
	kcc_seed_forget(seed);
	KUNIT_EXPECT_EQ(test, kcc_seed_check(seed, 20, rtt_us, rtt_us), KCC_SEED_OLD);
}

static void queue_of_others_makes_the_jump_smaller(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, RATE);
	u32 rtt_us = seed->rtt_us;

	KUNIT_EXPECT_EQ(test, kcc_seed_yield(seed, RATE, rtt_us), RATE);
	KUNIT_EXPECT_EQ(test, kcc_seed_yield(seed, RATE, rtt_us / 2), RATE);
	KUNIT_EXPECT_EQ(test, kcc_seed_yield(seed, RATE, rtt_us * 3 / 2), RATE / 2);
	KUNIT_EXPECT_EQ(test, kcc_seed_yield(seed, RATE, rtt_us * 2), 0);
	KUNIT_EXPECT_EQ(test, kcc_seed_yield(seed, U32_MAX, U32_MAX), 0);
}

static void another_rtt_is_another_path(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, RATE);

	kcc_seed_note_rtt(seed, UNIT_RTT_US * 2);
	KUNIT_EXPECT_EQ_MSG(test, seed->x_kbps, RATE, "twice is a queue");
	KUNIT_EXPECT_EQ(test, seed->rtt_us, UNIT_RTT_US);
	kcc_seed_note_rtt(seed, UNIT_RTT_US / 2);
	KUNIT_EXPECT_EQ_MSG(test, seed->x_kbps, RATE, "half was a queue");
	KUNIT_EXPECT_EQ(test, seed->rtt_us, UNIT_RTT_US / 2);
	kcc_seed_note_rtt(seed, UNIT_RTT_US + 2);
	KUNIT_EXPECT_EQ(test, seed->x_kbps, 0);
	KUNIT_EXPECT_EQ(test, seed->rtt_us, UNIT_RTT_US + 2);
	seed = seed_of_rate(test, RATE);
	kcc_seed_note_rtt(seed, UNIT_RTT_US / 2 - 1);
	KUNIT_EXPECT_EQ(test, seed->x_kbps, 0);
}

static void wider_scopes_survive_another_destination(struct kunit *test)
{
	struct kcc_seed *seed = seed_of_rate(test, RATE);

	KUNIT_EXPECT_TRUE(test, kcc_seed_is_fatal(seed, KCC_SEED_RTT_HIGH));
	KUNIT_EXPECT_TRUE(test, kcc_seed_is_fatal(seed, KCC_SEED_LOSS));
	KUNIT_EXPECT_TRUE(test, kcc_seed_is_fatal(seed, KCC_SEED_RETREATED));
	KUNIT_EXPECT_FALSE(test, kcc_seed_is_fatal(seed, KCC_SEED_VALIDATED));
	KUNIT_EXPECT_FALSE(test, kcc_seed_is_fatal(seed, KCC_SEED_BUDGET));
	KUNIT_EXPECT_FALSE(test, kcc_seed_is_fatal(seed, KCC_SEED_EXPIRED));
	seed->key.scope = 1;
	KUNIT_EXPECT_FALSE(test, kcc_seed_is_fatal(seed, KCC_SEED_RTT_HIGH));
	KUNIT_EXPECT_FALSE(test, kcc_seed_is_fatal(seed, KCC_SEED_LOSS));
	KUNIT_EXPECT_TRUE(test, kcc_seed_is_fatal(seed, KCC_SEED_RETREATED));
}

/* --- keys ----------------------------------------------------------------- */

static struct sock *seed_sock(struct kunit *test, u32 ip)
{
	struct sock *sk = unit_sock(test);

	sk->sk_family = AF_INET;
	sk->sk_daddr = htonl(ip);
	sk->sk_state = TCP_ESTABLISHED;
	return sk;
}

static bool same_key(struct kunit *test, u32 scope, u32 ip1, u32 ip2)
{
	struct kcc_seed_key key1, key2;

	KUNIT_EXPECT_TRUE(test, kcc_seed_key(seed_sock(test, ip1), scope, &key1));
	KUNIT_EXPECT_TRUE(test, kcc_seed_key(seed_sock(test, ip2), scope, &key2));
	return !memcmp(&key1, &key2, sizeof(key1));
}

static void scope_decides_who_shares(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, same_key(test, 0, 0x0a000001, 0x0a000001));
	KUNIT_EXPECT_FALSE(test, same_key(test, 0, 0x0a000001, 0x0a000002));
	KUNIT_EXPECT_TRUE(test, same_key(test, 1, 0x0a000001, 0x0a0000ff));
	KUNIT_EXPECT_FALSE(test, same_key(test, 1, 0x0a000001, 0x0a000101));
	KUNIT_EXPECT_TRUE(test, same_key(test, 2, 0x0a000001, 0xc0000001));
}

static void scope_1_of_ipv6_is_56_bits(struct kunit *test)
{
	struct sock *sk = seed_sock(test, 0);
	struct kcc_seed_key key;

	sk->sk_family = AF_INET6;
	memset(&sk->sk_v6_daddr, 0x21, sizeof(sk->sk_v6_daddr));
	KUNIT_EXPECT_TRUE(test, kcc_seed_key(sk, 1, &key));
	KUNIT_EXPECT_EQ(test, key.addr.s6_addr[6], 0x21);
	KUNIT_EXPECT_EQ(test, key.addr.s6_addr[7], 0);
	KUNIT_EXPECT_EQ(test, key.addr.s6_addr[15], 0);
}

static void mapped_address_is_that_of_ipv4(struct kunit *test)
{
	struct sock *sk = seed_sock(test, 0x0a000001);
	struct kcc_seed_key key4, key6;

	kcc_seed_key(sk, 0, &key4);
	ipv6_addr_set_v4mapped(sk->sk_daddr, &sk->sk_v6_daddr);
	sk->sk_family = AF_INET6;
	kcc_seed_key(sk, 0, &key6);
	KUNIT_EXPECT_MEMEQ(test, &key4, &key6, sizeof(key4));
}

static void local_destinations_have_no_key(struct kunit *test)
{
	struct sock *sk = seed_sock(test, INADDR_LOOPBACK);
	struct kcc_seed_key key;

	KUNIT_EXPECT_FALSE(test, kcc_seed_key(sk, 0, &key));
	KUNIT_EXPECT_FALSE(test, kcc_seed_key(seed_sock(test, 0x7f010203), 2, &key));
	sk->sk_family = AF_INET6;
	sk->sk_v6_daddr = in6addr_loopback;
	KUNIT_EXPECT_FALSE(test, kcc_seed_key(sk, 0, &key));
	ipv6_addr_set_v4mapped(htonl(INADDR_LOOPBACK), &sk->sk_v6_daddr);
	KUNIT_EXPECT_FALSE(test, kcc_seed_key(sk, 1, &key));
	sk->sk_v6_daddr.s6_addr32[0] = htonl(0xfe800000);
	KUNIT_EXPECT_FALSE(test, kcc_seed_key(sk, 0, &key));
}

/* --- table ---------------------------------------------------------------- */

static struct kcc_seeds *seeds_of(const struct sock *sk)
{
	return rcu_dereference_protected(kcc_net(sk)->seeds, 1);
}

static struct sock *joined(struct kunit *test, u32 ip)
{
	struct sock *sk = seed_sock(test, ip);

	kcc_net(sk)->kf_enable = 1;
	kcc_seed_join(sk);
	return sk;
}

static struct kcc_seed *entry_of(struct kunit *test, const struct sock *sk)
{
	struct kcc_seed_key key;
	struct kcc_seed *seed;

	kcc_seed_key(sk, 0, &key);
	rcu_read_lock();
	seed = kcc_seed_find(seeds_of(sk), &key);
	rcu_read_unlock();
	return seed;
}

static void join_counts_and_leave_uncounts_once(struct kunit *test)
{
	struct sock *sk = joined(test, 0x0a000001);
	struct kcc_seed *seed = entry_of(test, sk);
	struct sock *other = unit_sock(test);

	KUNIT_ASSERT_NOT_NULL(test, seed);
	KUNIT_EXPECT_EQ(test, seed->live, 1);
	/* unit_sock() resets the settings, and with them the table */
	kcc_net(sk)->kf_enable = 1;
	other->sk_family = AF_INET;
	other->sk_daddr = htonl(0x0a000001);
	other->sk_state = TCP_ESTABLISHED;
	kcc_seed_join(other);
	KUNIT_EXPECT_PTR_EQ(test, entry_of(test, sk), seed);
	KUNIT_EXPECT_EQ(test, seed->live, 2);
	kcc_seed_leave(other);
	kcc_seed_leave(other);
	KUNIT_EXPECT_EQ(test, seed->live, 1);
	kcc_seed_leave(sk);
	KUNIT_EXPECT_EQ(test, seed->live, 0);
}

static void nobody_joins_while_it_is_off(struct kunit *test)
{
	struct sock *sk = seed_sock(test, 0x0a000001);

	kcc_seed_join(sk);
	KUNIT_EXPECT_EQ(test, (u32)kcc_ca(sk)->seed_scope, 0);
	KUNIT_EXPECT_EQ(test, seeds_of(sk)->count, 0);
}

/* A SYN with a forged address makes no entry. */
static void only_an_established_connection_joins(struct kunit *test)
{
	struct sock *sk = seed_sock(test, 0x0a000001);

	kcc_net(sk)->kf_enable = 1;
	sk->sk_state = TCP_SYN_SENT;
	kcc_seed_join(sk);
	KUNIT_EXPECT_EQ(test, seeds_of(sk)->count, 0);
	sk->sk_state = TCP_SYN_RECV;
	kcc_seed_join(sk);
	KUNIT_EXPECT_EQ(test, seeds_of(sk)->count, 1);
	kcc_seed_leave(sk);
}

static void leaving_finds_the_entry_after_scope_has_changed(struct kunit *test)
{
	struct sock *sk = joined(test, 0x0a000001);
	struct kcc_seed *seed = entry_of(test, sk);

	kcc_net(sk)->kf_scope = 2;
	kcc_seed_leave(sk);
	KUNIT_EXPECT_EQ(test, seed->live, 0);
}

static void flush_empties_what_is_in_use(struct kunit *test)
{
	struct sock *sk = joined(test, 0x0a000001);
	struct kcc_seed *seed = entry_of(test, sk);

	kcc_seed_estimate(seed, RATE, 0);
	kcc_seed_sum(seed, RATE, 0, &(u32){ 3 });
	kcc_seeds_flush(seeds_of(sk));
	KUNIT_EXPECT_PTR_EQ(test, entry_of(test, sk), seed);
	KUNIT_EXPECT_EQ(test, seed->x_kbps, 0);
	KUNIT_EXPECT_EQ(test, kcc_seed_together_kbps(seed), 0);
	KUNIT_EXPECT_EQ(test, seed->live, 1);
	kcc_seed_leave(sk);
	kcc_seeds_flush(seeds_of(sk));
	KUNIT_EXPECT_NULL(test, entry_of(test, sk));
	KUNIT_EXPECT_EQ(test, seeds_of(sk)->count, 0);
}

static bool add_key(struct kcc_seeds *seeds, u32 number, u32 limit)
{
	struct kcc_seed_key key = { .addr.s6_addr32[3] = number };
	struct kcc_seed *seed;

	rcu_read_lock();
	seed = kcc_seed_add(seeds, &key, limit);
	rcu_read_unlock();
	return seed;
}

static struct kcc_seed *key_entry(struct kcc_seeds *seeds, u32 number)
{
	struct kcc_seed_key key = { .addr.s6_addr32[3] = number };
	struct kcc_seed *seed;

	rcu_read_lock();
	seed = kcc_seed_find(seeds, &key);
	rcu_read_unlock();
	return seed;
}

static bool has_key(struct kcc_seeds *seeds, u32 number)
{
	return key_entry(seeds, number);
}

static void table_never_holds_more_than_its_limit(struct kunit *test)
{
	struct kcc_seeds *seeds = seeds_of(unit_sock(test));
	u32 i;

	KUNIT_EXPECT_FALSE(test, add_key(seeds, 1, 0));
	for (i = 1; i <= 1000; i++) {
		KUNIT_EXPECT_TRUE(test, add_key(seeds, i, 100));
		KUNIT_EXPECT_LE(test, seeds->count, 100);
		KUNIT_EXPECT_TRUE(test, has_key(seeds, i));
	}
	KUNIT_EXPECT_EQ(test, seeds->count, 100);
}

static void eviction_takes_the_oldest_and_spares_the_used(struct kunit *test)
{
	struct kcc_seeds *seeds = seeds_of(unit_sock(test));
	u32 i;

	for (i = 1; i <= 8; i++)
		add_key(seeds, i, 8);
	for (i = 1; i <= 8; i++)
		key_entry(seeds, i)->referenced = i == 1;
	add_key(seeds, 9, 8);
	KUNIT_EXPECT_TRUE(test, has_key(seeds, 1));
	KUNIT_EXPECT_FALSE(test, has_key(seeds, 2));
	KUNIT_EXPECT_EQ(test, (u32)key_entry(seeds, 1)->referenced, 0);
}

/* Those in use are never removed; the search for others is bounded. */
static void eviction_refuses_when_all_are_in_use(struct kunit *test)
{
	struct kcc_seeds *seeds = seeds_of(unit_sock(test));
	u32 i;

	for (i = 1; i <= 2 * KCC_SEED_EVICT_TRIES; i++) {
		add_key(seeds, i, 1000);
		key_entry(seeds, i)->live = i <= KCC_SEED_EVICT_TRIES;
	}
	KUNIT_EXPECT_FALSE(test, add_key(seeds, 5000, seeds->count));
	KUNIT_EXPECT_TRUE_MSG(test, add_key(seeds, 5000, seeds->count),
			      "the next ones are free");
	for (i = 1; i <= KCC_SEED_EVICT_TRIES; i++) {
		KUNIT_EXPECT_TRUE(test, has_key(seeds, i));
		key_entry(seeds, i)->live = 0;
	}
}

static void trim_removes_down_to_the_limit(struct kunit *test)
{
	struct kcc_seeds *seeds = seeds_of(unit_sock(test));
	u32 i;

	for (i = 1; i <= 1000; i++)
		add_key(seeds, i, 1000);
	kcc_seeds_trim(seeds, 10);
	KUNIT_EXPECT_EQ(test, seeds->count, 10);
	KUNIT_EXPECT_TRUE(test, has_key(seeds, 1000));
	KUNIT_EXPECT_FALSE(test, has_key(seeds, 1));
}

/* --- cost ----------------------------------------------------------------- */

/* In virtual time only the processor's own counter moves. */
static u64 unit_cycles(void)
{
#if IS_ENABLED(CONFIG_UML_X86)
	return __builtin_ia32_rdtsc();
#else
	return get_cycles();
#endif
}

/* Cycles of 1000 look-ups and updates of 16 destinations, in a table of so many.
 * The same 16, so that the caches have them in both cases: what is compared is
 * the way through the table.  (All of 100 000 in turn miss the caches: ten times.)
 */
static u32 cost_of(struct kunit *test, struct kcc_seeds *seeds, u32 entries)
{
	u32 i, k, best = U32_MAX;
	u64 begun;

	for (i = 1; i <= entries; i++)
		add_key(seeds, i, entries);
	for (k = 0; k < 20; k++) {
		begun = unit_cycles();
		for (i = 0; i < 10000; i++) {
			struct kcc_seed *seed = key_entry(seeds, 1 + i % 16);

			spin_lock_bh(&seed->lock);
			kcc_seed_estimate(seed, RATE, 0);
			spin_unlock_bh(&seed->lock);
		}
		best = min_t(u64, best, div_u64(unit_cycles() - begun, 10));
	}
	kcc_seeds_flush(seeds);
	return best;
}

static void cost_hardly_depends_on_the_number(struct kunit *test)
{
	struct kcc_seeds *seeds = seeds_of(unit_sock(test));
	u32 few = cost_of(test, seeds, 100), many = cost_of(test, seeds, 100000);

	if (!few)
		kunit_skip(test, "this machine has no cycle counter");
	kunit_info(test, "1000 look-ups and updates take %u cycles at 100 entries, %u at 100000\n",
		   few, many);
	/* 1.2 times; debugging makes each access to memory cost more than the table */
	if (!IS_ENABLED(CONFIG_KASAN))
		KUNIT_EXPECT_LE(test, many, few * 6 / 5);
}

static int seed_case_init(struct kunit *test)
{
	unit_sock(test);	/* resets the settings */
	return 0;
}

static struct kunit_case kcc_seed_cases[] = {
	KUNIT_CASE(entry_fits_128_bytes),
	KUNIT_CASE(estimate_starts_from_the_first_sample),
	KUNIT_CASE(estimate_averages_noise),
	KUNIT_CASE(one_outlier_moves_nothing),
	KUNIT_CASE(estimate_follows_a_lasting_change_in_20_rounds),
	KUNIT_CASE(time_widens_the_gate),
	KUNIT_CASE(variance_keeps_its_bounds),
	KUNIT_CASE(extreme_rates_do_not_overflow),
	KUNIT_CASE(peak_is_monotone_and_settled),
	KUNIT_CASE(sum_counts_each_connection_once_a_window),
	KUNIT_CASE(sum_forgets_who_has_left_after_two_windows),
	KUNIT_CASE(sum_window_lasts_20_rtts),
	KUNIT_CASE(share_is_the_estimate_or_the_peak),
	KUNIT_CASE(share_is_never_more_than_an_equal_one),
	KUNIT_CASE(budget_serves_four_and_refuses_the_fifth),
	KUNIT_CASE(budget_gives_the_rest_unless_it_is_too_little),
	KUNIT_CASE(budget_times_out),
	KUNIT_CASE(discount_decides_the_jump),
	KUNIT_CASE(check_compares_age_and_rtt),
	KUNIT_CASE(queue_of_others_makes_the_jump_smaller),
	KUNIT_CASE(another_rtt_is_another_path),
	KUNIT_CASE(wider_scopes_survive_another_destination),
	KUNIT_CASE(scope_decides_who_shares),
	KUNIT_CASE(scope_1_of_ipv6_is_56_bits),
	KUNIT_CASE(mapped_address_is_that_of_ipv4),
	KUNIT_CASE(local_destinations_have_no_key),
	KUNIT_CASE(join_counts_and_leave_uncounts_once),
	KUNIT_CASE(nobody_joins_while_it_is_off),
	KUNIT_CASE(only_an_established_connection_joins),
	KUNIT_CASE(leaving_finds_the_entry_after_scope_has_changed),
	KUNIT_CASE(flush_empties_what_is_in_use),
	KUNIT_CASE(table_never_holds_more_than_its_limit),
	KUNIT_CASE(eviction_takes_the_oldest_and_spares_the_used),
	KUNIT_CASE(eviction_refuses_when_all_are_in_use),
	KUNIT_CASE(trim_removes_down_to_the_limit),
	KUNIT_CASE(cost_hardly_depends_on_the_number),
	{}
};

struct kunit_suite kcc_seed_suite = {
	.name = "kcc_seed",
	.init = seed_case_init,
	.test_cases = kcc_seed_cases,
};
