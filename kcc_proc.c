// SPDX-License-Identifier: GPL-2.0
/* /proc/net/kcc: what this namespace remembers, and what became of its uses
 *
 * One file for each namespace, mode 0400, of the root of the user namespace that
 * owns it: whom a host talks to, and how fast, is nobody else's business.  While
 * the table is resized an entry may be shown twice or not at all.
 *
 * For reading; columns may be added at the end of a line.
 */
#include <linux/ktime.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include "kcc.h"

struct kcc_proc_iter {
	struct seq_net_private p;
	struct rhashtable_iter walk;
};

static struct kcc_seeds *kcc_proc_seeds(struct seq_file *seq)
{
	/* the file is gone before the table */
	return rcu_dereference_protected(kcc_net_of(seq_file_net(seq))->seeds, 1);
}

static void *kcc_proc_entry(struct kcc_proc_iter *iter)
{
	struct kcc_seed *seed;

	do {
		seed = rhashtable_walk_next(&iter->walk);
	} while (IS_ERR(seed));	/* -EAGAIN: the table was resized */
	return seed;
}

/* Each read(2) walks from the start to where the last one ended: a walk that is
 * kept from one to the next could not be ended when the file is closed.
 */
static void *kcc_proc_start(struct seq_file *seq, loff_t *pos)
__acquires(RCU)
{
	struct kcc_proc_iter *iter = seq->private;
	void *v = SEQ_START_TOKEN;
	loff_t left;

	rhashtable_walk_enter(&kcc_proc_seeds(seq)->table, &iter->walk);
	rhashtable_walk_start(&iter->walk);
	for (left = *pos; left && v; left--)
		v = kcc_proc_entry(iter);
	return v;
}

static void *kcc_proc_next(struct seq_file *seq, void *v, loff_t *pos)
{
	++*pos;
	return kcc_proc_entry(seq->private);
}

static void kcc_proc_stop(struct seq_file *seq, void *v)
__releases(RCU)
{
	struct kcc_proc_iter *iter = seq->private;

	rhashtable_walk_stop(&iter->walk);
	rhashtable_walk_exit(&iter->walk);
}

static void kcc_proc_show_head(struct seq_file *seq)
{
	struct kcc_seeds *seeds = kcc_proc_seeds(seq);
	u32 i;

	seq_printf(seq, "entries %u\n", READ_ONCE(seeds->count));
	for (i = 0; i < KCC_SEED_OUTCOME_COUNT; i++)
		seq_printf(seq, "%s %u\n", kcc_seed_outcome_names[i],
			   (u32)atomic_read(&seeds->outcomes[i]));
	seq_puts(seq, "address scope x_kbps dev_kbps peak_kbps together_kbps rtt_us live jump_kbps age_s samples last\n");
}

/* A copy, so that nothing is printed under the lock. */
static void kcc_proc_show_entry(struct seq_file *seq, struct kcc_seed *seed)
{
	struct kcc_seed copy;
	const char *last;

	spin_lock_bh(&seed->lock);
	memcpy(&copy, seed, sizeof(copy));
	spin_unlock_bh(&seed->lock);
	last = copy.outcome ? kcc_seed_outcome_names[copy.outcome - 1] : "-";
	if (ipv6_addr_v4mapped(&copy.key.addr))
		seq_printf(seq, "%pI4", &copy.key.addr.s6_addr32[3]);
	else
		seq_printf(seq, "%pI6c", &copy.key.addr);
	seq_printf(seq, " %u %u %u %u %u %u %u %u %u %u %s\n", copy.key.scope,
		   copy.x_kbps, int_sqrt64(copy.p_kbps2), copy.peak_kbps,
		   kcc_seed_together_kbps(&copy), copy.rtt_us, copy.live,
		   copy.jump_kbps,
		   copy.samples ? (u32)ktime_get_boottime_seconds() - copy.fed_s : 0,
		   copy.samples, last);
}

static int kcc_proc_show(struct seq_file *seq, void *v)
{
	if (v == SEQ_START_TOKEN)
		kcc_proc_show_head(seq);
	else
		kcc_proc_show_entry(seq, v);
	return 0;
}

static const struct seq_operations kcc_proc_ops = {
	.start	= kcc_proc_start,
	.next	= kcc_proc_next,
	.stop	= kcc_proc_stop,
	.show	= kcc_proc_show,
};

int __net_init kcc_proc_init(struct net *net)
{
	if (!IS_ENABLED(CONFIG_PROC_FS))
		return 0;
	return proc_create_net("kcc", 0400, net->proc_net, &kcc_proc_ops,
			       sizeof(struct kcc_proc_iter)) ? 0 : -ENOMEM;
}

void __net_exit kcc_proc_exit(struct net *net)
{
	remove_proc_entry("kcc", net->proc_net);
}
