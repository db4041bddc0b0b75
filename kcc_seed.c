// SPDX-License-Identifier: GPL-2.0
/* Memory across connections: one entry per namespace and destination
 *
 * What an entry knows:
 *   x, P     Kalman estimate of one connection's fair rate, kbit/s
 *   peak     largest settled x (kcc_kf_steady_mode)
 *   sums     what all connections had together: each of them counts once per
 *            window, so that idle ones count nothing
 *   rtt      smallest model RTT
 *   live     connections that hold the entry
 *   jump     rate granted to newcomers that has not been validated yet
 *
 *   real numbers                          integers here
 *   predict   P <- min(P + Q, Pmax)       Pmax = (x/2)^2
 *             Q = Pmax/256 a sample, Pmax/64 a second
 *   gate      nu^2 > 9 (P + R)            R = (max(x, z)/8)^2
 *             refused: P <- P + Pmax/8, at Pmax start again from z
 *   update    x <- x + K nu               K = P/(P + R) << 16
 *
 * A refused sample widens the gate, so no lasting change is refused for ever:
 * after eight of them the estimate starts again.
 *
 * Lifetimes.  The table belongs to the namespace: kcc_net.seeds is set before
 * the first socket can use it and cleared a grace period before it is freed.
 * An entry is made when a connection opens (never in the ACK path) and lives
 * until it is evicted, flushed or trimmed.  A connection keeps no pointer to it:
 * it looks it up by its own address, once per round.  An entry with live
 * connections is not removed, so their count is exact; flush empties it instead.
 * Readers hold rcu_read_lock(), entries are freed by kfree_rcu().
 *
 * Locks.  seed->lock protects the contents of one entry; kcc_seeds.lock the list
 * and the count, only when an entry is added or removed (seeds->lock first, then
 * seed->lock).  Both disable BH: a socket's backlog runs in process context.
 *
 * Bounds.  kcc_kf_entries entries of at most 128 bytes; adding one to a full table
 * looks at no more than KCC_SEED_EVICT_TRIES others.  The hash is keyed, and the
 * key is made only of an established connection's address: spoofed SYNs make no
 * entries.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/dst.h>
#include "kcc.h"
#include "kcc_trace.h"

/* Deviation of which nothing is known any more, and that of one sample: rounds
 * of a flow among its own kind spread by 5 to 10 %.
 */
#define KCC_SEED_PMAX_SHIFT	1
#define KCC_SEED_PMIN_SHIFT	5
#define KCC_SEED_R_SHIFT	3
/* With R this makes a gain of 0.22 in the long run: a memory of five rounds. */
#define KCC_SEED_Q_SHIFT	8
/* Unfed for a minute P is at its maximum: the first new sample decides. */
#define KCC_SEED_AGING_SHIFT	6
/* Refused samples until the estimate starts again: 2^3. */
#define KCC_SEED_REFUSED_SHIFT	3
/* Samples behind an x that may become the peak. */
#define KCC_SEED_SETTLED	8
/* Window of sums, in RTTs: a cycle pauses for at most 13 rounds, so everybody
 * who is sending is in it.
 */
#define KCC_SEED_WINDOW_RTTS	20
/* Unvalidated rate that nobody has returned for so long is nobody's: a jump
 * takes three RTTs.  The connection's own limit (kcc_jump.c) is shorter.
 */
#define KCC_SEED_BUDGET_SEC	8
/* Less than a quarter of what was wanted is not worth a jump. */
#define KCC_SEED_LEAST_SHIFT	2
#define KCC_SEED_EVICT_TRIES	16
/* Entries that are removed in one go without letting others run. */
#define KCC_SEED_BATCH		64

const char *const kcc_seed_outcome_names[KCC_SEED_OUTCOME_COUNT] = {
	[KCC_SEED_USED] = "used",
	[KCC_SEED_VALIDATED] = "validated",
	[KCC_SEED_RETREATED] = "retreated",
	[KCC_SEED_EXPIRED] = "expired",
	[KCC_SEED_OLD] = "refused_old",
	[KCC_SEED_RTT_LOW] = "refused_rtt_low",
	[KCC_SEED_RTT_HIGH] = "refused_rtt_high",
	[KCC_SEED_LOSS] = "refused_loss",
	[KCC_SEED_CE] = "refused_ce",
	[KCC_SEED_SLOW] = "refused_slow",
	[KCC_SEED_BUDGET] = "refused_budget",
	[KCC_SEED_NO_GAIN] = "refused_no_gain",
	[KCC_SEED_LATE] = "refused_late",
	[KCC_SEED_NO_ROOM] = "refused_no_room",
};

static const struct rhashtable_params kcc_seed_params = {
	.head_offset = offsetof(struct kcc_seed, node),
	.key_offset = offsetof(struct kcc_seed, key),
	.key_len = sizeof(struct kcc_seed_key),
	.automatic_shrinking = true,
};

/* --- estimator ------------------------------------------------------------ */

/* Variance of a deviation that is a rate's 2^shift-th part. */
static u64 kcc_seed_variance_kbps2(u32 kbps, u32 shift)
{
	u64 dev_kbps = max(kbps >> shift, 1U);

	return dev_kbps * dev_kbps;
}

static u64 kcc_seed_pmax_kbps2(const struct kcc_seed *seed)
{
	return kcc_seed_variance_kbps2(seed->x_kbps, KCC_SEED_PMAX_SHIFT);
}

static u64 kcc_seed_pmin_kbps2(const struct kcc_seed *seed)
{
	return kcc_seed_variance_kbps2(seed->x_kbps, KCC_SEED_PMIN_SHIFT);
}

static void kcc_seed_start(struct kcc_seed *seed, u32 z_kbps)
{
	seed->x_kbps = z_kbps;
	seed->p_kbps2 = kcc_seed_pmax_kbps2(seed);
	seed->samples = 1;
}

static void kcc_seed_predict(struct kcc_seed *seed, u32 elapsed_s)
{
	u64 pmax_kbps2 = kcc_seed_pmax_kbps2(seed);
	u64 grown_kbps2 = (pmax_kbps2 >> KCC_SEED_Q_SHIFT) + 1;

	grown_kbps2 += (pmax_kbps2 >> KCC_SEED_AGING_SHIFT) *
		       min(elapsed_s, 1U << KCC_SEED_AGING_SHIFT);
	seed->p_kbps2 = min(seed->p_kbps2 + grown_kbps2, pmax_kbps2);
}

/* p / sum << 16, with p at most sum; where the shift would leave 64 bits the sum
 * gives way instead.
 */
static u32 kcc_seed_gain_q16(u64 p, u64 sum)
{
	return sum >> 47 ? div64_u64(p, sum >> 16) : div64_u64(p << 16, sum);
}

/**
 * kcc_seed_estimate() - one round's delivery rate of one connection
 * @seed: the entry, locked
 * @z_kbps: the rate, kbit/s, above 0
 * @now_s: boot time, s
 *
 * Rates are at most 2^31 kbit/s, so no square leaves 64 bits.
 *
 * Return: true when x took the sample.
 */
bool kcc_seed_estimate(struct kcc_seed *seed, u32 z_kbps, u32 now_s)
{
	u32 elapsed_s = now_s - seed->fed_s, gain_q16;
	u64 r_kbps2, nu_kbps;

	z_kbps = clamp_t(u32, z_kbps, 1, S32_MAX);
	seed->fed_s = now_s;
	if (!seed->x_kbps) {
		kcc_seed_start(seed, z_kbps);
		return true;
	}
	kcc_seed_predict(seed, elapsed_s);
	r_kbps2 = kcc_seed_variance_kbps2(max(seed->x_kbps, z_kbps), KCC_SEED_R_SHIFT);
	nu_kbps = max(seed->x_kbps, z_kbps) - min(seed->x_kbps, z_kbps);
	if (nu_kbps * nu_kbps > 9 * (seed->p_kbps2 + r_kbps2)) {
		u64 pmax_kbps2 = kcc_seed_pmax_kbps2(seed);

		if (seed->p_kbps2 >= pmax_kbps2) {
			kcc_seed_start(seed, z_kbps);
			return true;
		}
		seed->p_kbps2 = min(seed->p_kbps2 +
				    (pmax_kbps2 >> KCC_SEED_REFUSED_SHIFT), pmax_kbps2);
		return false;
	}
	gain_q16 = kcc_seed_gain_q16(seed->p_kbps2, seed->p_kbps2 + r_kbps2);
	nu_kbps = nu_kbps * gain_q16 >> 16;
	seed->x_kbps = z_kbps > seed->x_kbps ? seed->x_kbps + nu_kbps :
					       seed->x_kbps - nu_kbps;
	seed->x_kbps = max(seed->x_kbps, 1U);
	seed->p_kbps2 -= (seed->p_kbps2 >> 16) * gain_q16;
	seed->p_kbps2 = clamp(seed->p_kbps2, kcc_seed_pmin_kbps2(seed),
			      kcc_seed_pmax_kbps2(seed));
	if (seed->samples < U16_MAX)
		seed->samples++;
	if (seed->samples >= KCC_SEED_SETTLED)
		seed->peak_kbps = max(seed->peak_kbps, seed->x_kbps);
	return true;
}

/**
 * kcc_seed_sum() - count one connection into what all have together
 * @seed: the entry, locked
 * @z_kbps: its rate, kbit/s
 * @now_jif: tcp_jiffies32
 * @window: number of the window that it was last counted in; updated
 */
void kcc_seed_sum(struct kcc_seed *seed, u32 z_kbps, u32 now_jif, u32 *window)
{
	u32 length_us = min_t(u64, (u64)seed->rtt_us * KCC_SEED_WINDOW_RTTS, U32_MAX);
	u32 length_jif = max_t(u32, usecs_to_jiffies(length_us), HZ);

	if (now_jif - seed->window_jif >= length_jif) {
		seed->sum_kbps[1] = seed->sum_kbps[0];
		seed->sum_kbps[0] = 0;
		seed->window_jif = now_jif;
		seed->window++;
	}
	if (*window == seed->window)
		return;
	*window = seed->window;
	seed->sum_kbps[0] = min_t(u64, (u64)seed->sum_kbps[0] + z_kbps, U32_MAX);
}

/* What all connections had together in the better of two windows, kbit/s. */
u32 kcc_seed_together_kbps(const struct kcc_seed *seed)
{
	return max(seed->sum_kbps[0], seed->sum_kbps[1]);
}

/**
 * kcc_seed_share_kbps() - what one more connection may expect
 * @seed: the entry, locked; the newcomer is among its live ones
 * @steady: use the peak instead of the present estimate
 *
 * Never more than an equal share of what all had together (RFC 9040: a share, not
 * a copy).  Idle connections count as if they were sending: the error is on the
 * safe side, and half the rate costs one RTT of doubling.
 *
 * Return: kbit/s.
 */
u32 kcc_seed_share_kbps(const struct kcc_seed *seed, bool steady)
{
	u32 share_kbps = seed->x_kbps;

	if (steady && seed->peak_kbps)
		share_kbps = seed->peak_kbps;
	return min(share_kbps, kcc_seed_together_kbps(seed) / max(seed->live, 1U));
}

/**
 * kcc_seed_grant() - take a jump out of the budget
 * @seed: the entry, locked
 * @share_kbps: share of the newcomer, kbit/s
 * @discount_pct: percent of it that may be used
 * @now_jif: tcp_jiffies32
 * @grant_kbps: what was granted
 *
 * All jumps that are not validated yet stay together below discount x what all
 * connections had together.
 *
 * Return: KCC_SEED_USED or KCC_SEED_BUDGET.
 */
enum kcc_seed_outcome kcc_seed_grant(struct kcc_seed *seed, u32 share_kbps,
				     u32 discount_pct, u32 now_jif, u32 *grant_kbps)
{
	u32 want_kbps = div_u64((u64)share_kbps * discount_pct, 100);
	u32 most_kbps = div_u64((u64)kcc_seed_together_kbps(seed) * discount_pct, 100);
	u32 left_kbps;

	if (now_jif - seed->jump_jif > KCC_SEED_BUDGET_SEC * HZ)
		seed->jump_kbps = 0;
	left_kbps = most_kbps > seed->jump_kbps ? most_kbps - seed->jump_kbps : 0;
	*grant_kbps = min(want_kbps, left_kbps);
	if (!*grant_kbps || *grant_kbps < want_kbps >> KCC_SEED_LEAST_SHIFT)
		return KCC_SEED_BUDGET;
	seed->jump_kbps += *grant_kbps;
	seed->jump_jif = now_jif;
	return KCC_SEED_USED;
}

/* Give back what a jump had taken, or a part of it. */
void kcc_seed_return(struct kcc_seed *seed, u32 kbps)
{
	seed->jump_kbps -= min(seed->jump_kbps, kbps);
}

/* The end of a life: nothing is known, but who is connected and who jumps. */
void kcc_seed_forget(struct kcc_seed *seed)
{
	seed->x_kbps = 0;
	seed->p_kbps2 = 0;
	seed->peak_kbps = 0;
	seed->rtt_us = 0;
	seed->samples = 0;
	seed->sum_kbps[0] = 0;
	seed->sum_kbps[1] = 0;
	seed->window++;
}

/* --- table ---------------------------------------------------------------- */

struct kcc_seeds *kcc_seeds_alloc(void)
{
	struct kcc_seeds *seeds = kzalloc(sizeof(*seeds), GFP_KERNEL);

	/* lock debugging makes a spinlock larger than that of a kernel in use */
	BUILD_BUG_ON(sizeof(spinlock_t) <= 4 && sizeof(struct kcc_seed) > 128);
	if (!seeds)
		return NULL;
	if (rhashtable_init(&seeds->table, &kcc_seed_params)) {
		kfree(seeds);
		return NULL;
	}
	spin_lock_init(&seeds->lock);
	INIT_LIST_HEAD(&seeds->lru);
	return seeds;
}

static void kcc_seed_free(void *seed, void *arg)
{
	kfree(seed);
}

/* Nobody looks things up any more, since a grace period. */
void kcc_seeds_free(struct kcc_seeds *seeds)
{
	rhashtable_free_and_destroy(&seeds->table, kcc_seed_free, NULL);
	kfree(seeds);
}

/* Under rcu_read_lock(). */
struct kcc_seed *kcc_seed_find(struct kcc_seeds *seeds,
			       const struct kcc_seed_key *key)
{
	return rhashtable_lookup(&seeds->table, key, kcc_seed_params);
}

/* Remove an entry unless connections hold it, or it deserves another chance. */
static bool kcc_seed_remove(struct kcc_seeds *seeds, struct kcc_seed *seed,
			    bool forced)
{
	bool keep;

	lockdep_assert_held(&seeds->lock);
	spin_lock(&seed->lock);
	keep = seed->live || (seed->referenced && !forced);
	seed->referenced = 0;
	seed->dead = !keep;
	spin_unlock(&seed->lock);
	if (keep) {
		list_move_tail(&seed->lru, &seeds->lru);
		return false;
	}
	rhashtable_remove_fast(&seeds->table, &seed->node, kcc_seed_params);
	list_del(&seed->lru);
	seeds->count--;
	kfree_rcu(seed, rcu);
	return true;
}

/* Make room for one: the oldest that was not used since it was last looked at. */
static bool kcc_seeds_evict(struct kcc_seeds *seeds)
{
	struct kcc_seed *seed;
	u32 tries;

	for (tries = 1; tries <= KCC_SEED_EVICT_TRIES; tries++) {
		seed = list_first_entry_or_null(&seeds->lru, struct kcc_seed, lru);
		if (!seed)
			return false;
		if (kcc_seed_remove(seeds, seed, tries > KCC_SEED_EVICT_TRIES / 2))
			return true;
	}
	return false;
}

/**
 * kcc_seed_add() - make an entry
 * @seeds: table; under rcu_read_lock()
 * @key: destination
 * @limit: most entries that there may be
 *
 * Return: the entry, or one that somebody else has just made; NULL when there is
 * no room or no memory.
 */
struct kcc_seed *kcc_seed_add(struct kcc_seeds *seeds,
			      const struct kcc_seed_key *key, u32 limit)
{
	struct kcc_seed *seed, *other;

	seed = kcalloc(1, sizeof(*seed), GFP_ATOMIC | __GFP_NOWARN);
	if (!seed)
		return NULL;
	seed->key = *key;
	/* until its connection holds it: not to be evicted at once */
	seed->referenced = 1;
	seed->window_jif = tcp_jiffies32;
	spin_lock_init(&seed->lock);

	spin_lock_bh(&seeds->lock);
	if (seeds->count >= limit && (!limit || !kcc_seeds_evict(seeds)))
		other = ERR_PTR(-ENOSPC);
	else
		other = rhashtable_lookup_get_insert_fast(&seeds->table, &seed->node,
							  kcc_seed_params);
	if (!other) {
		list_add_tail(&seed->lru, &seeds->lru);
		seeds->count++;
	}
	spin_unlock_bh(&seeds->lock);
	if (!other)
		return seed;
	kfree(seed);
	return IS_ERR(other) ? NULL : other;
}

/* Remove, oldest first, until no more than this many are left.  Those in use stay
 * (flush: emptied).  Every entry is looked at once at most, in batches.
 */
static void kcc_seeds_reduce(struct kcc_seeds *seeds, u32 limit, bool flush)
{
	u32 left = READ_ONCE(seeds->count), batch;
	struct kcc_seed *seed;

	while (left) {
		spin_lock_bh(&seeds->lock);
		for (batch = 0; left && batch < KCC_SEED_BATCH; batch++, left--) {
			seed = list_first_entry_or_null(&seeds->lru, struct kcc_seed,
							lru);
			if (!seed || seeds->count <= limit) {
				left = 0;
				break;
			}
			if (kcc_seed_remove(seeds, seed, true) || !flush)
				continue;
			spin_lock(&seed->lock);
			kcc_seed_forget(seed);
			spin_unlock(&seed->lock);
		}
		spin_unlock_bh(&seeds->lock);
		cond_resched();
	}
}

void kcc_seeds_trim(struct kcc_seeds *seeds, u32 limit)
{
	kcc_seeds_reduce(seeds, limit, false);
}

void kcc_seeds_flush(struct kcc_seeds *seeds)
{
	kcc_seeds_reduce(seeds, 0, true);
}

/* --- by socket ------------------------------------------------------------ */

static void kcc_seed_addr(const struct sock *sk, struct in6_addr *addr)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6) {
		*addr = sk->sk_v6_daddr;
		return;
	}
#endif
	ipv6_addr_set_v4mapped(sk->sk_daddr, addr);
}

/* A destination on this host, or one whose address means another host on each
 * link: not worth remembering.
 */
static bool kcc_seed_is_local(const struct sock *sk, const struct in6_addr *addr)
{
	const struct dst_entry *dst;
	bool is_local;

	if (ipv6_addr_loopback(addr) || ipv6_addr_any(addr) ||
	    ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL)
		return true;
	if (ipv6_addr_v4mapped(addr) && ipv4_is_loopback(addr->s6_addr32[3]))
		return true;
	rcu_read_lock();
	dst = rcu_dereference(sk->sk_dst_cache);
	is_local = dst && dst->dev && dst->dev->flags & IFF_LOOPBACK;
	rcu_read_unlock();
	return is_local;
}

/**
 * kcc_seed_key() - the entry that a connection shares
 * @sk: socket, locked
 * @scope: 0 destination, 1 its prefix (/24, /56), 2 the namespace
 * @key: result
 *
 * Return: false when the destination is not to be remembered.
 */
bool kcc_seed_key(const struct sock *sk, u32 scope, struct kcc_seed_key *key)
{
	struct in6_addr addr;

	kcc_seed_addr(sk, &addr);
	if (kcc_seed_is_local(sk, &addr))
		return false;
	memset(key, 0, sizeof(*key));
	key->scope = scope;
	if (scope == 0)
		key->addr = addr;
	else if (scope == 1)
		ipv6_addr_prefix(&key->addr, &addr,
				 ipv6_addr_v4mapped(&addr) ? 96 + 24 : 56);
	return true;
}

/* The entry that this connection holds; under rcu_read_lock(). */
static struct kcc_seed *kcc_seed_of(const struct sock *sk)
{
	struct kcc_seeds *seeds = rcu_dereference(kcc_net(sk)->seeds);
	u32 scope = kcc_ca(sk)->seed_scope;
	struct kcc_seed_key key;

	if (!seeds || !scope || !kcc_seed_key(sk, scope - 1, &key))
		return NULL;
	return kcc_seed_find(seeds, &key);
}

/* Count and trace what became of a use. */
void kcc_seed_report(struct sock *sk, enum kcc_seed_outcome outcome, u32 kbps)
{
	struct kcc_seeds *seeds;

	rcu_read_lock();
	seeds = rcu_dereference(kcc_net(sk)->seeds);
	if (seeds)
		atomic_inc(&seeds->outcomes[outcome]);
	rcu_read_unlock();
	trace_kcc_seed(sk, outcome, kbps);
}

/* Count a connection; false when the entry has been removed meanwhile.  The open
 * window has not counted it yet.
 */
static bool kcc_seed_hold(struct kcc *kcc, struct kcc_seed *seed)
{
	bool held;

	spin_lock_bh(&seed->lock);
	held = !seed->dead;
	if (held) {
		seed->live++;
		seed->referenced = 1;
		kcc->seed_window = seed->window - 1;
		if (seed->x_kbps)
			kcc->jump = KCC_JUMP_RECON;
	}
	spin_unlock_bh(&seed->lock);
	return held;
}

/**
 * kcc_seed_join() - a connection begins
 * @sk: socket, locked; its struct kcc is initialised
 *
 * Only an established connection counts: its address is proven.
 */
void kcc_seed_join(struct sock *sk)
{
	struct kcc_net *kn = kcc_net(sk);
	u32 scope = READ_ONCE(kn->kf_scope);
	struct kcc *kcc = kcc_ca(sk);
	struct kcc_seed_key key;
	struct kcc_seeds *seeds;
	struct kcc_seed *seed;

	if (!READ_ONCE(kn->kf_enable) ||
	    !((1 << sk->sk_state) & (TCPF_ESTABLISHED | TCPF_SYN_RECV | TCPF_CLOSE_WAIT)))
		return;
	rcu_read_lock();
	seeds = rcu_dereference(kn->seeds);
	if (!seeds || !kcc_seed_key(sk, scope, &key))
		goto unlock;
	seed = kcc_seed_find(seeds, &key);
	if (!seed)
		seed = kcc_seed_add(seeds, &key, READ_ONCE(kn->kf_entries));
	if (seed && kcc_seed_hold(kcc, seed))
		kcc->seed_scope = scope + 1;
	else
		kcc_seed_report(sk, KCC_SEED_NO_ROOM, 0);
unlock:
	rcu_read_unlock();
}

/* The connection ends, or takes another algorithm.  May be called twice. */
void kcc_seed_leave(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);
	struct kcc_seed *seed;

	if (!kcc->seed_scope)
		return;
	rcu_read_lock();
	seed = kcc_seed_of(sk);
	if (seed) {
		spin_lock_bh(&seed->lock);
		seed->live -= !!seed->live;
		spin_unlock_bh(&seed->lock);
	}
	rcu_read_unlock();
	kcc->seed_scope = 0;
}

static u32 kcc_seed_now_s(void)
{
	return (u32)ktime_get_boottime_seconds();
}

/* May the round that ends with this ACK teach something?  It has to be of a
 * cruise beyond its drained window, full, and without loss.
 */
static bool kcc_seed_may_feed(const struct sock *sk, const struct kcc_ack *ack)
{
	const struct kcc *kcc = kcc_ca(sk);
	u32 sent_pkts;

	return kcc->round_start && kcc->phase == KCC_CRUISE && kcc->rounds >= 3 &&
	       !kcc->window_open && !kcc->loss_hold && ack->bw &&
	       !ack->rs->is_app_limited && ack->rs->losses <= 0 &&
	       !kcc_lost_pkts(sk, &sent_pkts) &&
	       inet_csk(sk)->icsk_ca_state < TCP_CA_CWR;
}

/* The RTT of a life is its smallest.  One beyond half or twice is another path. */
static void kcc_seed_note_rtt(struct kcc_seed *seed, u32 rtt_us)
{
	if (seed->rtt_us && (rtt_us < seed->rtt_us / 2 || rtt_us / 2 > seed->rtt_us))
		kcc_seed_forget(seed);
	seed->rtt_us = seed->rtt_us ? min(seed->rtt_us, rtt_us) : rtt_us;
}

/**
 * kcc_seed_feed() - once per ACK of a connection that holds an entry
 * @sk: socket, locked
 * @ack: the ACK, in the model, its losses not yet accounted
 *
 * Does something once per round of CRUISE.
 */
void kcc_seed_feed(struct sock *sk, const struct kcc_ack *ack)
{
	struct kcc *kcc = kcc_ca(sk);
	u32 window = kcc->seed_window, z_kbps;
	struct kcc_seed *seed;

	if (!kcc_seed_may_feed(sk, ack) || !READ_ONCE(kcc_net(sk)->kf_enable))
		return;
	z_kbps = kcc_fp_kbps(ack->bw, tcp_sk(sk)->mss_cache);
	rcu_read_lock();
	seed = kcc_seed_of(sk);
	if (seed) {
		spin_lock_bh(&seed->lock);
		kcc_seed_note_rtt(seed, kcc_model_rtt_us(sk));
		kcc_seed_estimate(seed, z_kbps, kcc_seed_now_s());
		kcc_seed_sum(seed, z_kbps, tcp_jiffies32, &window);
		seed->referenced = 1;
		spin_unlock_bh(&seed->lock);
	}
	rcu_read_unlock();
	kcc->seed_window = window;
}

/* What the reconnaissance says of an entry; KCC_SEED_USED when it agrees. */
static enum kcc_seed_outcome kcc_seed_check(const struct kcc_seed *seed,
					    u32 max_age_s, u32 min_rtt_us,
					    u32 rtt_us)
{
	if (!seed->x_kbps || kcc_seed_now_s() - seed->fed_s > max_age_s)
		return KCC_SEED_OLD;
	if (min_rtt_us <= seed->rtt_us / 2)
		return KCC_SEED_RTT_LOW;
	if (rtt_us / 2 >= seed->rtt_us)
		return KCC_SEED_RTT_HIGH;
	return KCC_SEED_USED;
}

/* A longer RTT than the stored one is somebody's queue: take less, nothing at twice
 * (beside CUBIC, whose queue nearly doubles it, a full jump took a third of its
 * rate for two seconds).
 */
static u32 kcc_seed_yield(const struct kcc_seed *seed, u32 share_kbps, u32 rtt_us)
{
	u32 more_us = rtt_us > seed->rtt_us ? rtt_us - seed->rtt_us : 0;

	return div_u64((u64)share_kbps * (seed->rtt_us - min(more_us, seed->rtt_us)),
		       max(seed->rtt_us, 1U));
}

/**
 * kcc_seed_ask() - how far may this connection jump?
 * @sk: socket, locked, its initial window acked
 * @rtt_us: latest RTT
 * @jump_kbps: result, kbit/s
 * @full_kbps: an equal share of all that was had, kbit/s
 *
 * Return: KCC_SEED_USED when @jump_kbps was granted; else why not.
 */
enum kcc_seed_outcome kcc_seed_ask(struct sock *sk, u32 rtt_us,
				   u32 *jump_kbps, u32 *full_kbps)
{
	enum kcc_seed_outcome outcome = KCC_SEED_LATE;
	struct kcc_net *kn = kcc_net(sk);
	struct kcc_seed *seed;
	u32 share_kbps;

	rcu_read_lock();
	seed = kcc_seed_of(sk);
	if (seed && READ_ONCE(kn->kf_enable)) {
		spin_lock_bh(&seed->lock);
		outcome = kcc_seed_check(seed, READ_ONCE(kn->kf_max_age),
					 kcc_ca(sk)->min_rtt_us, rtt_us);
		if (outcome == KCC_SEED_USED) {
			share_kbps = kcc_seed_share_kbps(seed, READ_ONCE(kn->kf_steady_mode));
			share_kbps = kcc_seed_yield(seed, share_kbps, rtt_us);
			outcome = kcc_seed_grant(seed, share_kbps,
						 READ_ONCE(kn->kf_discount),
						 tcp_jiffies32, jump_kbps);
			*full_kbps = kcc_seed_together_kbps(seed) / max(seed->live, 1U);
		}
		spin_unlock_bh(&seed->lock);
	}
	rcu_read_unlock();
	return outcome;
}

/* Does this outcome end the entry's life?  Of a wider scope only a failed jump
 * does: another host behind the same prefix may well be nearer or slower.
 */
static bool kcc_seed_is_fatal(const struct kcc_seed *seed,
			      enum kcc_seed_outcome outcome)
{
	switch (outcome) {
	case KCC_SEED_RETREATED:
		return true;
	case KCC_SEED_OLD:
	case KCC_SEED_RTT_LOW:
	case KCC_SEED_RTT_HIGH:
	case KCC_SEED_LOSS:
	case KCC_SEED_CE:
	case KCC_SEED_SLOW:
		return seed->key.scope == 0;
	default:
		return false;
	}
}

/**
 * kcc_seed_settle() - a use ends, or a part of its grant is not needed
 * @sk: socket, locked
 * @outcome: how; KCC_SEED_USED: it goes on
 * @kbps: what to give back to the budget
 */
void kcc_seed_settle(struct sock *sk, enum kcc_seed_outcome outcome, u32 kbps)
{
	struct kcc_seed *seed;

	rcu_read_lock();
	seed = kcc_seed_of(sk);
	if (seed) {
		spin_lock_bh(&seed->lock);
		kcc_seed_return(seed, kbps);
		seed->outcome = outcome + 1;
		if (kcc_seed_is_fatal(seed, outcome))
			kcc_seed_forget(seed);
		spin_unlock_bh(&seed->lock);
	}
	rcu_read_unlock();
}
