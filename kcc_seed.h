/* SPDX-License-Identifier: GPL-2.0 */
/* Memory across connections: what is known of one destination.  See kcc_seed.c. */
#ifndef KCC_SEED_H
#define KCC_SEED_H

#include <linux/in6.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>

struct sock;

/* What became of a use.  Counted per namespace, told by tracepoint kcc_seed and
 * in /proc/net/kcc.
 */
enum kcc_seed_outcome {
	KCC_SEED_USED,		/* a jump began */
	KCC_SEED_VALIDATED,	/* and was acked */
	KCC_SEED_RETREATED,	/* and met congestion */
	KCC_SEED_EXPIRED,	/* and nobody sent, or it closed */
	/* refused: */
	KCC_SEED_OLD,		/* unfed for more than kcc_kf_max_age */
	KCC_SEED_RTT_LOW,	/* at most half of the stored RTT */
	KCC_SEED_RTT_HIGH,	/* at least twice of it */
	KCC_SEED_LOSS,		/* loss in reconnaissance */
	KCC_SEED_CE,		/* CE mark in reconnaissance */
	KCC_SEED_SLOW,		/* the train came through slowly */
	KCC_SEED_BUDGET,	/* others are jumping already */
	KCC_SEED_NO_GAIN,	/* the window is as large already */
	KCC_SEED_LATE,		/* STARTUP ended before, or it was switched off */
	KCC_SEED_NO_ROOM,	/* every entry is in use */
	KCC_SEED_OUTCOME_COUNT
};

struct kcc_seed_key {
	struct in6_addr addr;	/* IPv4 is mapped; only the scope's prefix */
	u32	scope;		/* value of kcc_kf_scope */
};

/* One destination. */
struct kcc_seed {
	struct rhash_head node;
	struct kcc_seed_key key;
	union {
		struct list_head lru;	/* in the table: kcc_seeds.lock */
		struct rcu_head rcu;	/* removed from it */
	};
	spinlock_t lock;	/* of all that follows */
	u32	fed_s;		/* boot time of the last sample */
	u64	p_kbps2;	/* variance of x */
	u32	x_kbps;		/* fair rate of one connection, 0: unknown */
	u32	peak_kbps;	/* largest settled x of this life */
	u32	rtt_us;		/* smallest model RTT of this life */
	u32	window_jif;	/* when the open window of sums began */
	u32	sum_kbps[2];	/* all connections: open window, the last one */
	u32	jump_kbps;	/* granted, not yet validated */
	u32	jump_jif;	/* when the last of it was granted */
	u32	live;		/* KCC connections that hold this entry */
	u16	samples;	/* accepted in this life, saturating */
	u8	window:2,	/* number of the open window */
		referenced:1,	/* used since eviction last looked */
		dead:1;		/* removed; do not join */
	u8	outcome;	/* enum kcc_seed_outcome + 1 of the last use, 0: none */
};

/* All destinations of one network namespace. */
struct kcc_seeds {
	struct rhashtable table;
	spinlock_t lock;	/* of lru and count: only to add and to remove */
	struct list_head lru;	/* in order of age, second chance if referenced */
	u32	count;
	atomic_t outcomes[KCC_SEED_OUTCOME_COUNT];
};

/* The estimator: pure, the caller holds the lock (or the only reference). */
bool kcc_seed_estimate(struct kcc_seed *seed, u32 z_kbps, u32 now_s);
void kcc_seed_sum(struct kcc_seed *seed, u32 z_kbps, u32 now_jif, u32 *window);
u32 kcc_seed_together_kbps(const struct kcc_seed *seed);
u32 kcc_seed_share_kbps(const struct kcc_seed *seed, bool steady);
enum kcc_seed_outcome kcc_seed_grant(struct kcc_seed *seed, u32 share_kbps,
				     u32 discount_pct, u32 now_jif,
				     u32 *grant_kbps);
void kcc_seed_return(struct kcc_seed *seed, u32 kbps);
void kcc_seed_forget(struct kcc_seed *seed);

/* The table. */
struct kcc_seeds *kcc_seeds_alloc(void);
void kcc_seeds_free(struct kcc_seeds *seeds);
struct kcc_seed *kcc_seed_find(struct kcc_seeds *seeds,
			       const struct kcc_seed_key *key);
struct kcc_seed *kcc_seed_add(struct kcc_seeds *seeds,
			      const struct kcc_seed_key *key, u32 limit);
void kcc_seeds_trim(struct kcc_seeds *seeds, u32 limit);
void kcc_seeds_flush(struct kcc_seeds *seeds);

/* By socket. */
bool kcc_seed_key(const struct sock *sk, u32 scope, struct kcc_seed_key *key);

extern const char *const kcc_seed_outcome_names[KCC_SEED_OUTCOME_COUNT];

#endif /* KCC_SEED_H */
