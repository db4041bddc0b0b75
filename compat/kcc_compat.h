/* SPDX-License-Identifier: GPL-2.0 */
/* The one place that knows kernels differ.  Kbuild includes it in front of
 * every source file; KCC_HAVE_* comes from scripts/probe.sh, which compiles
 * compat/probe/ against the kernel at hand.  Version numbers are not asked:
 * vendors carry features back and forth.
 */
#ifndef KCC_COMPAT_H
#define KCC_COMPAT_H

#include <linux/random.h>
#include <linux/sysctl.h>
#include <net/tcp.h>
#include "kcc_probe.h"

/* 5.19: the window has accessors, and 0 is refused. */
#ifdef KCC_HAVE_SND_CWND_SET
#define kcc_compat_cwnd(tp)		tcp_snd_cwnd(tp)
#define kcc_compat_set_cwnd(tp, cwnd)	tcp_snd_cwnd_set(tp, cwnd)
#else
#define kcc_compat_cwnd(tp)		((tp)->snd_cwnd)
#define kcc_compat_set_cwnd(tp, cwnd)	((tp)->snd_cwnd = (cwnd))
#endif

/* 6.2: a random number below a bound. */
#ifdef KCC_HAVE_RANDOM_U32_BELOW
#define kcc_compat_random_below(ceil)	get_random_u32_below(ceil)
#else
#define kcc_compat_random_below(ceil)	prandom_u32_max(ceil)
#endif

/* 6.6: the size of a sysctl table is said; before, an empty entry ends it. */
#ifdef KCC_HAVE_NET_SYSCTL_SZ
#define KCC_COMPAT_SYSCTL_END		0
#define kcc_compat_register_sysctl(net, path, table, n) \
	register_net_sysctl_sz(net, path, table, n)
#else
#define KCC_COMPAT_SYSCTL_END		1
#define kcc_compat_register_sysctl(net, path, table, n) \
	register_net_sysctl(net, path, table)
#endif

/* 6.11: a sysctl handler's table is const.  Defines a handler that lets the kernel's
 * own take a number within bounds into a member of a structure, and then calls
 * apply() with that.  (5.4 has __user at the buffer, which only sparse sees.)
 */
#ifdef KCC_HAVE_SYSCTL_CONST_TABLE
#define KCC_COMPAT_CTL		const struct ctl_table *
#else
#define KCC_COMPAT_CTL		struct ctl_table *
#endif
#define KCC_COMPAT_SYSCTL_HANDLER(name, type, member, apply)		\
static int name(KCC_COMPAT_CTL table, int write, void *buffer,		\
		size_t *lenp, loff_t *ppos)				\
{									\
	int err = proc_douintvec_minmax(table, write, buffer, lenp, ppos); \
									\
	if (write && !err)						\
		apply(container_of((u32 *)table->data, type, member));	\
	return err;							\
}

/* 5.19: the 64 KiB limit of one burst got another name. */
#ifdef KCC_HAVE_GSO_LEGACY_MAX_SIZE
#define KCC_COMPAT_GSO_MAX_BYTES	GSO_LEGACY_MAX_SIZE
#else
#define KCC_COMPAT_GSO_MAX_BYTES	GSO_MAX_SIZE
#endif

/* 6.10: cong_control is told the ACK as well.  Defines a function of the
 * kernel's type that calls fn(sk, rs).
 */
#ifdef KCC_HAVE_CONG_CONTROL_4ARGS
#define KCC_COMPAT_CONG_CONTROL(name, fn)				\
static void name(struct sock *sk, u32 ack, int flag,			\
		 const struct rate_sample *rs)				\
{									\
	fn(sk, rs);							\
}
#else
#define KCC_COMPAT_CONG_CONTROL(name, fn)				\
static void name(struct sock *sk, const struct rate_sample *rs)		\
{									\
	fn(sk, rs);							\
}
#endif

/* 7.1: the start of transmission after idle has its own hook. */
#ifdef KCC_HAVE_CWND_EVENT_TX_START
#define KCC_COMPAT_TX_START(name, fn)					\
static void name(struct sock *sk)					\
{									\
	fn(sk);								\
}

#define KCC_COMPAT_TX_START_HOOK(name)	.cwnd_event_tx_start = name
#else
#define KCC_COMPAT_TX_START(name, fn)					\
static void name(struct sock *sk, enum tcp_ca_event event)		\
{									\
	if (event == CA_EVENT_TX_START)					\
		fn(sk);							\
}

#define KCC_COMPAT_TX_START_HOOK(name)	.cwnd_event = name
#endif

/* Patched kernels ask for the burst size itself, mainline for its minimum. */
#if defined(KCC_HAVE_MIN_TSO_SEGS)
#define KCC_COMPAT_TSO_SEGS(name, min_fn, goal_fn)			\
static u32 name(struct sock *sk)					\
{									\
	return min_fn(sk);						\
}

#define KCC_COMPAT_TSO_SEGS_HOOK(name)	.min_tso_segs = name
#elif defined(KCC_HAVE_TSO_SEGS)
#define KCC_COMPAT_TSO_SEGS(name, min_fn, goal_fn)			\
static u32 name(struct sock *sk, unsigned int mss_now)			\
{									\
	return goal_fn(sk, mss_now);					\
}

#define KCC_COMPAT_TSO_SEGS_HOOK(name)	.tso_segs = name
#else
#error "this kernel's tcp_congestion_ops has neither min_tso_segs nor tso_segs"
#endif

#endif /* KCC_COMPAT_H */
