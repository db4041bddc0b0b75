// SPDX-License-Identifier: GPL-2.0
/* net.kcc.*: the settings of each network namespace
 *
 * Every namespace has its own copy.  A new one starts from the values that the
 * initial namespace has at that moment, as tcp_rmem does.  Bounds are enforced
 * by the kernel's own handler: a value outside fails with EINVAL and changes
 * nothing.  Writers are serialised by nothing and need not be: one aligned u32
 * each, read with READ_ONCE.  Two of them act at once: kcc_kf_entries removes what
 * is too much, kcc_kf_flush everything.
 *
 * Lifetime: struct kcc_net is allocated and freed by the namespace (net_generic)
 * and outlives every socket in it.  What it remembers (kcc_seed.c) is taken away
 * in pre_exit, a grace period before it is freed in exit: sockets of the kernel's
 * own do not hold their namespace.
 */
#include <linux/module.h>
#include <net/netns/generic.h>
#include "kcc.h"

static unsigned int kcc_net_id __read_mostly;

static const struct kcc_net kcc_net_defaults = {
	/* 2/ln 2: the smallest gain at which pacing doubles each round (BBR);
	 * KCC_STARTUP_WINDOW_Q8 says what it means here.
	 */
	.high_gain = 2885,
	/* half, as RFC 9959 has it and the articles had */
	.kf_discount = 50,
	/* ten minutes: RFC 9959's "minutes" for paths that vary */
	.kf_max_age = 600,
	.kf_entries = 4096,
	.probe_rtt_decouple = 1,
};

static unsigned int kcc_zero;
static unsigned int kcc_one = 1;
static unsigned int kcc_two = 2;
static unsigned int kcc_hundred = 100;
static unsigned int kcc_day = 86400;
static unsigned int kcc_entries_max = 1048576;
static unsigned int kcc_high_gain_min = 1000;
/* 10 bits of gain end at 1023/256. */
static unsigned int kcc_high_gain_max = 3996;

/* Act on a number that the kernel's handler has taken. */
static void kcc_apply_entries(struct kcc_net *kn)
{
	kcc_seeds_trim(rcu_dereference_protected(kn->seeds, 1),
		       READ_ONCE(kn->kf_entries));
}

static void kcc_apply_flush(struct kcc_net *kn)
{
	kcc_seeds_flush(rcu_dereference_protected(kn->seeds, 1));
}

KCC_COMPAT_SYSCTL_HANDLER(kcc_entries_handler, struct kcc_net, kf_entries,
			  kcc_apply_entries)
KCC_COMPAT_SYSCTL_HANDLER(kcc_flush_handler, struct kcc_net, kf_flush,
			  kcc_apply_flush)

#define KCC_KNOB_OF(_name, _min, _max, _mode, _handler) {		\
	.procname	= "kcc_" #_name,				\
	.data		= (void *)offsetof(struct kcc_net, _name),	\
	.maxlen		= sizeof(u32),					\
	.mode		= _mode,					\
	.proc_handler	= _handler,					\
	.extra1		= _min,						\
	.extra2		= _max,						\
}

#define KCC_KNOB(_name, _min, _max)					\
	KCC_KNOB_OF(_name, _min, _max, 0644, proc_douintvec_minmax)

/* The pattern that each namespace copies; .data holds offsets here. */
static const struct ctl_table kcc_table[] = {
	KCC_KNOB(high_gain, &kcc_high_gain_min, &kcc_high_gain_max),
	KCC_KNOB(rtt_mode, &kcc_zero, &kcc_one),
	KCC_KNOB(probe_rtt_decouple, &kcc_zero, &kcc_one),
	KCC_KNOB(ecn_enable, &kcc_zero, &kcc_one),
	KCC_KNOB(kf_enable, &kcc_zero, &kcc_one),
	KCC_KNOB(kf_steady_mode, &kcc_zero, &kcc_one),
	KCC_KNOB(kf_discount, &kcc_one, &kcc_hundred),
	KCC_KNOB(kf_scope, &kcc_zero, &kcc_two),
	KCC_KNOB(kf_max_age, &kcc_one, &kcc_day),
	KCC_KNOB_OF(kf_entries, &kcc_zero, &kcc_entries_max, 0644,
		    kcc_entries_handler),
	KCC_KNOB_OF(kf_flush, &kcc_one, &kcc_one, 0200, kcc_flush_handler),
};

#define KCC_KNOBS	ARRAY_SIZE(kcc_table)

struct kcc_net *kcc_net_of(const struct net *net)
{
	return net_generic(net, kcc_net_id);
}

/* Settings of the socket's namespace. */
struct kcc_net *kcc_net(const struct sock *sk)
{
	return kcc_net_of(sock_net(sk));
}

static int kcc_net_register(struct net *net, struct kcc_net *kn)
{
	struct ctl_table *table;
	size_t i;

	table = kcalloc(KCC_KNOBS + KCC_COMPAT_SYSCTL_END, sizeof(*table),
			GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < KCC_KNOBS; i++) {
		table[i] = kcc_table[i];
		table[i].data = (char *)kn + (unsigned long)kcc_table[i].data;
	}
	kn->header = kcc_compat_register_sysctl(net, "net/kcc", table, KCC_KNOBS);
	if (!kn->header) {
		kfree(table);
		return -ENOMEM;
	}
	return 0;
}

static void kcc_net_unregister(struct kcc_net *kn)
{
	const struct ctl_table *table = kn->header->ctl_table_arg;

	unregister_net_sysctl_table(kn->header);
	kfree(table);
}

static int __net_init kcc_net_init(struct net *net)
{
	struct kcc_net *kn = kcc_net_of(net);
	struct kcc_seeds *seeds;
	int err = -ENOMEM;

	if (net_eq(net, &init_net))
		*kn = kcc_net_defaults;
	else
		*kn = *kcc_net_of(&init_net);

	seeds = kcc_seeds_alloc();
	RCU_INIT_POINTER(kn->seeds, seeds);
	if (!seeds)
		return err;
	err = kcc_net_register(net, kn);
	if (err)
		goto free;
	err = kcc_proc_init(net);
	if (err)
		goto unregister;
	return 0;

unregister:
	kcc_net_unregister(kn);
free:
	kcc_seeds_free(seeds);
	return err;
}

static void __net_exit kcc_net_pre_exit(struct net *net)
{
	struct kcc_net *kn = kcc_net_of(net);

	kcc_proc_exit(net);
	kcc_net_unregister(kn);
	kn->leaving = rcu_dereference_protected(kn->seeds, 1);
	RCU_INIT_POINTER(kn->seeds, NULL);
}

static void __net_exit kcc_net_exit(struct net *net)
{
	kcc_seeds_free(kcc_net_of(net)->leaving);
}

static struct pernet_operations kcc_net_ops = {
	.init	= kcc_net_init,
	.pre_exit = kcc_net_pre_exit,
	.exit	= kcc_net_exit,
	.id	= &kcc_net_id,
	.size	= sizeof(struct kcc_net),
};

/* Make the settings of all namespaces, present and future. */
int __init kcc_sysctl_init(void)
{
	return register_pernet_subsys(&kcc_net_ops);
}

/* Take them away; no socket uses KCC any more.  Entries that wait for kfree_rcu()
 * need no code of ours, but memory should be back when the module is gone.
 */
void kcc_sysctl_exit(void)
{
	unregister_pernet_subsys(&kcc_net_ops);
	rcu_barrier();
}
