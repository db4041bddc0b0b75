// SPDX-License-Identifier: GPL-2.0
/* Unit tests of KCC: the module that runs the suites, and the mock socket
 *
 * Inserting it runs everything; the results are in the kernel's log.  The
 * suites are run by name instead of through kunit_test_suites(), which does
 * nothing in a kernel without CONFIG_KUNIT_DEFAULT_ENABLED.
 */
#include <linux/minmax.h>
#include <linux/module.h>
#include "kcc.h"
#include "kcc_unit.h"

/* A socket that is just made: no RTT yet, initial window, default settings. */
struct sock *unit_sock(struct kunit *test)
{
	struct tcp_sock *tp = kunit_kzalloc(test, sizeof(*tp), GFP_KERNEL);
	struct sock *sk = (struct sock *)tp;

	KUNIT_ASSERT_NOT_NULL(test, tp);
	sock_net_set(sk, &init_net);
	unit_reset_settings(kcc_net(sk));
	inet_csk(sk)->icsk_ca_state = TCP_CA_Open;
	tp->mss_cache = UNIT_MSS;
	tp->snd_cwnd = TCP_INIT_CWND;
	tp->snd_cwnd_clamp = ~0U;
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	tp->tcp_mstamp = USEC_PER_SEC;
	tp->tcp_clock_cache = NSEC_PER_SEC;
	sk->sk_pacing_shift = 10;
	sk->sk_max_pacing_rate = ~0UL;
	minmax_reset(&tp->rtt_min, tcp_jiffies32, ~0U);
	return sk;
}

/* What the handshake leaves: an RTT without deviation. */
void unit_rtt(struct sock *sk, u32 rtt_us)
{
	minmax_reset(&tcp_sk(sk)->rtt_min, tcp_jiffies32, rtt_us);
	tcp_sk(sk)->srtt_us = rtt_us << 3;
}

static struct kunit_suite *const unit_suites[] = {
	&kcc_fixed_suite,
	&kcc_kf_suite,
	&kcc_size_suite,
	&kcc_sysctl_suite,
	&kcc_model_suite,
	&kcc_noise_suite,
	&kcc_loss_suite,
	&kcc_loss_full_suite,
	&kcc_loss_cycle_suite,
	&kcc_start_suite,
	&kcc_state_suite,
	&kcc_probe_rtt_suite,
	&kcc_window_suite,
	&kcc_foreign_suite,
	&kcc_seed_suite,
	&kcc_jump_suite,
	&kcc_life_suite,
};

static int __init unit_load(void)
{
	size_t i;
	int err;

	err = kcc_sysctl_init();
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(unit_suites); i++)
		kunit_run_tests(unit_suites[i]);
	return 0;
}

static void __exit unit_unload(void)
{
	kcc_sysctl_exit();
}

module_init(unit_load);
module_exit(unit_unload);

MODULE_DESCRIPTION("Unit tests of KCC");
MODULE_LICENSE("GPL");
