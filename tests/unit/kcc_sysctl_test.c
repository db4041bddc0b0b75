// SPDX-License-Identifier: GPL-2.0
/* Suite kcc_sysctl: defaults and bounds of the settings
 *
 * They are registered under a name of their own, so that kcc.ko can be loaded
 * at the same time.  That a namespace of user space has its own copy is for the
 * tests in namespaces to show.
 */
#include <linux/module.h>
#include "kcc_unit.h"

static struct ctl_table_header *unit_register_sysctl(struct net *net,
						     const char *path,
						     void *table, size_t n)
{
	return kcc_compat_register_sysctl(net, "net/kcc_unit", table, n);
}

#undef kcc_compat_register_sysctl
#define kcc_compat_register_sysctl(net, path, table, n) \
	unit_register_sysctl(net, path, table, n)
#include "../../kcc_sysctl.c"

/* A test starts from the defaults and remembers nothing, whatever the one before
 * has set.
 */
void unit_reset_settings(struct kcc_net *kn)
{
	struct kcc_seeds *seeds = rcu_dereference_protected(kn->seeds, 1);
	struct ctl_table_header *header = kn->header;

	*kn = kcc_net_defaults;
	kn->header = header;
	RCU_INIT_POINTER(kn->seeds, seeds);
	kcc_seeds_flush(seeds);
}

static int knob_handler(const struct ctl_table *knob, struct kcc_net *kn, char *buf,
			size_t *len, loff_t *pos)
{
	const struct ctl_table table = {
		.procname = knob->procname,
		.data = (char *)kn + (unsigned long)knob->data,
		.maxlen = knob->maxlen,
		.mode = knob->mode,
		.extra1 = knob->extra1,
		.extra2 = knob->extra2,
	};

	/* before 6.11 the handler's argument was not const */
	return knob->proc_handler((void *)&table, 1, buf, len, pos);
}

/* Write a number into a knob of these settings as user space does. */
static int write_knob(struct kunit *test, struct kcc_net *kn, const char *name,
		      const char *text)
{
	char buf[32];
	size_t i, len;
	loff_t pos = 0;

	for (i = 0; i < KCC_KNOBS; i++)
		if (!strcmp(kcc_table[i].procname, name))
			break;
	KUNIT_ASSERT_LT_MSG(test, i, KCC_KNOBS, "no knob %s", name);
	len = strscpy(buf, text, sizeof(buf));
	return knob_handler(&kcc_table[i], kn, buf, &len, &pos);
}

static void defaults_of_the_initial_namespace(struct kunit *test)
{
	struct sock *sk = unit_sock(test);

	KUNIT_EXPECT_EQ(test, kcc_net(sk)->high_gain, 2885);
	KUNIT_EXPECT_EQ(test, kcc_net(sk)->rtt_mode, 0);
	KUNIT_EXPECT_EQ(test, kcc_net(sk)->probe_rtt_decouple, 1);
	KUNIT_EXPECT_EQ(test, kcc_net(sk)->ecn_enable, 0);
	KUNIT_EXPECT_EQ(test, kcc_net(sk)->kf_enable, 0);
	KUNIT_EXPECT_EQ(test, kcc_net(sk)->kf_steady_mode, 0);
	KUNIT_EXPECT_EQ(test, kcc_net(sk)->kf_discount, 50);
	KUNIT_EXPECT_EQ(test, kcc_net(sk)->kf_scope, 0);
	KUNIT_EXPECT_EQ(test, kcc_net(sk)->kf_max_age, 600);
	KUNIT_EXPECT_EQ(test, kcc_net(sk)->kf_entries, 4096);
}

static void table_of_the_namespace_points_at_its_own_settings(struct kunit *test)
{
	struct kcc_net *kn = kcc_net(unit_sock(test));
	const struct ctl_table *table = kn->header->ctl_table_arg;

	KUNIT_EXPECT_PTR_EQ(test, table[0].data, (void *)&kn->high_gain);
	KUNIT_EXPECT_PTR_EQ(test, table[1].data, (void *)&kn->rtt_mode);
	KUNIT_EXPECT_PTR_EQ(test, table[2].data, (void *)&kn->probe_rtt_decouple);
	KUNIT_EXPECT_PTR_EQ(test, table[3].data, (void *)&kn->ecn_enable);
}

static void writes_within_bounds_are_taken(struct kunit *test)
{
	struct kcc_net kn = kcc_net_defaults;

	KUNIT_EXPECT_EQ(test, write_knob(test, &kn, "kcc_high_gain", "1000"), 0);
	KUNIT_EXPECT_EQ(test, kn.high_gain, 1000);
	KUNIT_EXPECT_EQ(test, write_knob(test, &kn, "kcc_high_gain", "3996"), 0);
	KUNIT_EXPECT_EQ(test, kn.high_gain, 3996);
	KUNIT_EXPECT_EQ(test, write_knob(test, &kn, "kcc_rtt_mode", "1"), 0);
	KUNIT_EXPECT_EQ(test, kn.rtt_mode, 1);
	KUNIT_EXPECT_EQ(test, write_knob(test, &kn, "kcc_probe_rtt_decouple", "0"), 0);
	KUNIT_EXPECT_EQ(test, kn.probe_rtt_decouple, 0);
	KUNIT_EXPECT_EQ(test, write_knob(test, &kn, "kcc_ecn_enable", "1"), 0);
	KUNIT_EXPECT_EQ(test, kn.ecn_enable, 1);
}

static void writes_out_of_bounds_change_nothing(struct kunit *test)
{
	static const char *const bad[][2] = {
		{ "kcc_high_gain", "999" },
		{ "kcc_high_gain", "3997" },
		{ "kcc_high_gain", "-1" },
		{ "kcc_high_gain", "many" },
		{ "kcc_high_gain", "4294967296" },
		{ "kcc_rtt_mode", "2" },
		{ "kcc_probe_rtt_decouple", "2" },
		{ "kcc_ecn_enable", "2" },
		{ "kcc_ecn_enable", "-1" },
		{ "kcc_kf_enable", "2" },
		{ "kcc_kf_steady_mode", "2" },
		{ "kcc_kf_discount", "0" },
		{ "kcc_kf_discount", "101" },
		{ "kcc_kf_scope", "3" },
		{ "kcc_kf_max_age", "0" },
		{ "kcc_kf_max_age", "86401" },
		{ "kcc_kf_entries", "1048577" },
		{ "kcc_kf_flush", "0" },
		{ "kcc_kf_flush", "2" },
	};
	struct kcc_net kn = kcc_net_defaults;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		err = write_knob(test, &kn, bad[i][0], bad[i][1]);
		KUNIT_EXPECT_EQ_MSG(test, err, -EINVAL, "%s=%s", bad[i][0], bad[i][1]);
		KUNIT_EXPECT_MEMEQ_MSG(test, &kn, &kcc_net_defaults, sizeof(kn),
				       "%s=%s", bad[i][0], bad[i][1]);
	}
}

static struct kunit_case kcc_sysctl_cases[] = {
	KUNIT_CASE(defaults_of_the_initial_namespace),
	KUNIT_CASE(table_of_the_namespace_points_at_its_own_settings),
	KUNIT_CASE(writes_within_bounds_are_taken),
	KUNIT_CASE(writes_out_of_bounds_change_nothing),
	{}
};

struct kunit_suite kcc_sysctl_suite = {
	.name = "kcc_sysctl",
	.test_cases = kcc_sysctl_cases,
};
