// SPDX-License-Identifier: GPL-2.0
/* net.kcc.*: the settings of each network namespace
 *
 * Every namespace has its own copy.  A new one starts from the values that the
 * initial namespace has at that moment, as tcp_rmem does.  Bounds are enforced
 * by the kernel's own handler: a value outside fails with EINVAL and changes
 * nothing.  Writers are serialised by nothing and need not be: one aligned u32
 * each, read with READ_ONCE.
 *
 * Lifetime: struct kcc_net is allocated and freed by the namespace (net_generic)
 * and outlives every socket in it.
 */
#include <linux/module.h>
#include <net/netns/generic.h>
#include "kcc.h"

static unsigned int kcc_net_id __read_mostly;

static const struct kcc_net kcc_net_defaults = {
	/* 2/ln 2: the smallest gain at which pacing doubles each round (BBR);
	 * see kcc_startup_gains() for what it means here.
	 */
	.high_gain = 2885,
	.probe_rtt_decouple = 1,
};

static unsigned int kcc_zero;
static unsigned int kcc_one = 1;
static unsigned int kcc_high_gain_min = 1000;
/* 10 bits of gain end at 1023/256. */
static unsigned int kcc_high_gain_max = 3996;

#define KCC_KNOB(_name, _min, _max) {					\
	.procname	= "kcc_" #_name,				\
	.data		= (void *)offsetof(struct kcc_net, _name),	\
	.maxlen		= sizeof(u32),					\
	.mode		= 0644,						\
	.proc_handler	= proc_douintvec_minmax,			\
	.extra1		= _min,						\
	.extra2		= _max,						\
}

/* The pattern that each namespace copies; .data holds offsets here. */
static const struct ctl_table kcc_table[] = {
	KCC_KNOB(high_gain, &kcc_high_gain_min, &kcc_high_gain_max),
	KCC_KNOB(rtt_mode, &kcc_zero, &kcc_one),
	KCC_KNOB(probe_rtt_decouple, &kcc_zero, &kcc_one),
	KCC_KNOB(ecn_enable, &kcc_zero, &kcc_one),
};

#define KCC_KNOBS	ARRAY_SIZE(kcc_table)

/* Settings of the socket's namespace. */
struct kcc_net *kcc_net(const struct sock *sk)
{
	return net_generic(sock_net(sk), kcc_net_id);
}

static int __net_init kcc_net_init(struct net *net)
{
	struct kcc_net *kn = net_generic(net, kcc_net_id);
	struct ctl_table *table;
	size_t i;

	if (net_eq(net, &init_net))
		*kn = kcc_net_defaults;
	else
		*kn = *(struct kcc_net *)net_generic(&init_net, kcc_net_id);

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

static void __net_exit kcc_net_exit(struct net *net)
{
	struct kcc_net *kn = net_generic(net, kcc_net_id);
	const struct ctl_table *table = kn->header->ctl_table_arg;

	unregister_net_sysctl_table(kn->header);
	kfree(table);
}

static struct pernet_operations kcc_net_ops = {
	.init	= kcc_net_init,
	.exit	= kcc_net_exit,
	.id	= &kcc_net_id,
	.size	= sizeof(struct kcc_net),
};

/* Make the settings of all namespaces, present and future. */
int __init kcc_sysctl_init(void)
{
	return register_pernet_subsys(&kcc_net_ops);
}

/* Take them away; no socket uses KCC any more. */
void kcc_sysctl_exit(void)
{
	unregister_pernet_subsys(&kcc_net_ops);
}
