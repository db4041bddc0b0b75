/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of KCC share: the per-connection state and who provides what.
 *
 *   tcp_kcc.c     the module: hooks, one ACK from end to end
 *   kcc_state.c   state machine and its gains
 *   kcc_window.c  pacing rate and window from the gains, recovery
 *   kcc_model.c   what the path is: bandwidth, RTT, queue, ACK aggregation
 *   kcc_loss.c    what loss means: base share, verdicts, inflight bound
 *   kcc_kf.c      Kalman filter of the propagation delay (no socket)
 *   kcc_seed.c    memory across connections: one entry per destination
 *   kcc_jump.c    STARTUP with that memory
 *   kcc_proc.c    /proc/net/kcc: the entries and what became of their uses
 *   kcc_sysctl.c  net.kcc.* of each network namespace
 *
 * Lifetimes and locks: struct kcc lives in the socket (icsk_ca_priv), is made
 * by .init; .release gives back what it holds of an entry (kcc_seed.c has the
 * lifetimes and locks of those).  Every function that takes a socket runs under
 * that socket's lock.  get_info runs under it too.  struct kcc_net lives as
 * long as its namespace and is read with READ_ONCE, without a lock.
 */
#ifndef KCC_H
#define KCC_H

#include <net/tcp.h>
#include "kcc_fixed.h"
#include "kcc_kf.h"
#include "kcc_seed.h"

/* Smallest window: two delayed ACKs' worth (BBR). */
#define KCC_CWND_MIN_PKTS	4
/* Largest gain that 10 bits hold, 3.996. */
#define KCC_GAIN_MAX		1023

/* Cruise: 1.3 BDP may be in flight. */
#define KCC_CRUISE_WINDOW	(KCC_UNIT * 13 / 10)

/* Longest D that 25 bits hold, 33 s. */
#define KCC_QUEUE_MAX_US	((1U << 25) - 1)

enum kcc_mode {
	KCC_STARTUP,	/* double the rate each round until the pipe is full */
	KCC_DRAIN,	/* let the queue of STARTUP go */
	KCC_PROBE_BW,	/* live: the phases below, over and over */
	KCC_PROBE_RTT,	/* half a BDP for one drained round */
};

/* Phases of PROBE_BW; feedback is accounted to the phase that sent it. */
enum kcc_phase {
	KCC_UP,		/* ask for more bandwidth */
	KCC_DOWN,	/* take back what the asking queued */
	KCC_CRUISE,	/* use the pipe, queue nothing */
	KCC_NO_PHASE,	/* outside PROBE_BW */
};

/* What STARTUP does with an entry of kcc_seed.c. */
enum kcc_jump {
	KCC_JUMP_NONE,	/* nothing, or no more */
	KCC_JUMP_RECON,	/* the initial window: is the path as it was? */
	KCC_JUMP_TRAIN,	/* a few packets at the rate of the jump */
	KCC_JUMP_FLIGHT,/* one RTT at that rate */
	KCC_JUMP_CHECK,	/* until all of it is acked */
	KCC_JUMP_DONE,	/* STARTUP goes on below a known ceiling */
};

/* Why the state changed: what tracepoint kcc_state and the tests see. */
enum kcc_why {
	KCC_WHY_INIT,			/* a connection begins */
	KCC_WHY_PLATEAU,		/* three rounds without growth */
	KCC_WHY_LOSS,			/* more loss than the path explains */
	KCC_WHY_DELAY,			/* the RTT shows a queue */
	KCC_WHY_NOT_OURS,		/* the delay stayed when we drained */
	KCC_WHY_DRAINED,		/* the AND-gate */
	KCC_WHY_TIMEOUT,		/* the longest stay is over */
	KCC_WHY_TARGET,			/* inflight reached what it may */
	KCC_WHY_ROOM,			/* a probe found much more */
	KCC_WHY_CYCLE,			/* time to probe */
	KCC_WHY_INTERVAL,		/* T unconfirmed for too long */
	KCC_WHY_PATH_CHECK,		/* RTT far above T */
	KCC_WHY_CONFIRMED,		/* a drained round agrees with T */
	KCC_WHY_PATH_CHANGE,		/* two drained rounds agree on another T */
	KCC_WHY_IDLE,			/* the pipe is empty after idle */
};

/* One connection.  Everything fits the 104 bytes of icsk_ca_priv. */
struct kcc {
	/* bandwidth, packets/us << KCC_BW_SCALE */
	u32	bw_max[2];	/* best of this probing cycle, of the last one */
	union {
		u32 ref_bw;	/* STARTUP: at the last growth; UP: at its start;
				 * PROBE_RTT: of the round that raised the doubt
				 */
		u32 exit_delay_us; /* DRAIN and first CRUISE: why STARTUP ended */
	};
	u32	next_round;	/* tp->delivered that ends this round */

	/* RTT, us */
	struct kcc_kf kf;	/* propagation delay */
	u32	min_rtt_us;	/* windowed minimum, ~0U before the first */
	u16	fresh_ticks;	/* kcc_now_ticks() at the last drained confirmation */
	u16	delay_max_q;	/* longest delay above T of late, us >> 4 */
	u32	round_rtt_us;	/* smallest of this round, ~0U when none */
	u32	queue_us:25,	/* D: EWMA of round minimum - model RTT */
		seed_scope:2,	/* holds an entry of this kcc_kf_scope + 1 */
		seed_window:2,	/* its window that last counted us */
		jump:3;		/* enum kcc_jump */

	/* drained window: packets sent from phase_delivered to drained_end; before
	 * the first one, while jump is not NONE: the jump
	 */
	union {
		u32 drained_end; /* tp->delivered at which it closes */
		u32 jump_end;	/* the same for what the jump is doing */
	};
	union {
		u32 drained_rtt_us; /* smallest RTT in it, ~0U when none */
		u32 jump_kbps;	/* granted rate */
	};
	u32	disagreed_us:28,/* last drained RTT that disagreed, or 0 */
		foreign:2,	/* somebody else holds the queue: checks to go */
		suspect:1;	/* the last check left a queue */

	/* phase */
	u32	phase_stamp_us;	/* tp->tcp_mstamp, low 32 bits, at its start; in a
				 * jump when it was granted
				 */
	u32	phase_delivered;/* tp->delivered at its start */

	u32	mode:2,		/* enum kcc_mode */
		phase:2,	/* enum kcc_phase */
		prev_phase:2,	/* the one before: its feedback still arrives */
		acc_phase:2,	/* the one acc_* belong to */
		prev_ca_state:3,
		packet_conservation:1, /* first round of recovery */
		round_start:1,	/* this ACK begins a round */
		idle_restart:1,	/* first packets after idle are out */
		has_seen_rtt:1,	/* pacing rate was set from an RTT */
		full_pipe:1,	/* STARTUP has ended once */
		window_open:1,	/* a drained window is being measured */
		window_done:1,	/* its result waits for the end of the round */
		outlier:1,	/* the last round's RTT was below half of x */
		exit_verify:1,	/* STARTUP left on delay: check it was ours */
		exit_lenient:1,	/* it was not: ask for three times as much */
		slow_down:1,	/* STARTUP: delay grows, half the step */
		probe_full:1,	/* this UP reached the inflight bound */
		doubted:1,	/* PROBE_RTT by doubt; until the next UP */
		loss_hold:1,	/* packets sent before a cut still arrive */
		high_rounds:2,	/* in a row: STARTUP: noisy; later: far above T */
		flat_rounds:2,	/* STARTUP: rounds without growth */
		noisy:1;	/* the last round's RTTs spread widely */
	u32	pacing_gain:10,	/* << KCC_SCALE */
		cwnd_gain:10,	/* << KCC_SCALE */
		rounds:4,	/* in this phase or mode, saturating */
		cruise_rounds:4,/* how long this cruise is to last */
		samples:4;	/* RTT samples of this round, saturating */
	u32	prior_cwnd;	/* window before recovery or PROBE_RTT */

	/* ACK aggregation, packets */
	u32	epoch_stamp_us;	/* start of the epoch */
	u16	extra_acked[2];	/* most in excess: this cycle, the last one */
	u16	epoch_acked;	/* acked in the epoch, saturating */

	u16	ce_mark;	/* tp->delivered_ce at the round's start */

	/* loss */
	u32	bound_pkts;	/* upper bound of inflight, ~0U: none */
	u32	acc_delivered:24, /* tp->delivered and tp->lost when this */
		noisy_rounds:3;	/* in a row, saturating */
	u32	acc_lost:24,	/* account was opened, low bits */
		acc_full:8;	/* its losses at a full queue, saturating */
	union {
		struct {
			u16 probe_sum_q4; /* CUSUM of losses in UP, packets << 4 */
			u16 all_sum_q4;	/* the same over all phases */
		};
		u32 ceiling_bw;	/* STARTUP: a full share of before, 0: unknown */
	};
	u16	base_q16;	/* share of loss that is the path's own */
	u8	base_weight;	/* packets behind it, in 32s, saturating */
	u8	clean_probes:6,	/* UPs at the bound without a verdict */
		proven:1,	/* T was confirmed at 0.75 BDP */
		window_deep:1;	/* this drained window holds 0.75 BDP */
};

/* Settings and memory of one network namespace. */
struct kcc_net {
	struct kcc_seeds __rcu *seeds;
	struct kcc_seeds *leaving;	/* between pre_exit and exit */
	u32	kf_enable;		/* 0, 1 */
	u32	kf_steady_mode;		/* 0 estimate, 1 peak */
	u32	kf_discount;		/* percent */
	u32	kf_scope;		/* 0 destination, 1 prefix, 2 all */
	u32	kf_max_age;		/* s */
	u32	kf_entries;		/* at most */
	u32	kf_flush;		/* only written */
	u32	high_gain;		/* thousandths */
	u32	rtt_mode;		/* 0 filtered, 1 windowed minimum */
	u32	probe_rtt_decouple;	/* 0, 1 */
	u32	ecn_enable;		/* 0, 1 */
	struct ctl_table_header *header;
};

/* One ACK, as the steps of the model pass it on. */
struct kcc_ack {
	const struct rate_sample *rs;
	u32	bw;		/* delivery rate of this sample, 0: none */
	u32	round_rtt_us;	/* round_start: the finished round's minimum */
	u32	noise_us;	/* round_start: how far its RTTs spread */
	bool	drained;	/* round_start: a drained window has closed */
	u32	agreed_us;	/* round_start: it and the one before it disagree
				 * with T, but not with each other: the smaller
				 */
	u32	apart_us;	/* how far apart the two are */
	bool	congested;	/* loss is the bottleneck's: a verdict fell */
	bool	retreat;	/* a jump failed: leave STARTUP */
	enum kcc_kf_verdict verdict; /* round_start: what the filter said */
};

/* kcc_sysctl.c */
struct kcc_net *kcc_net(const struct sock *sk);
struct kcc_net *kcc_net_of(const struct net *net);
int kcc_sysctl_init(void);
void kcc_sysctl_exit(void);

/* kcc_model.c */
u32 kcc_bw(const struct kcc *kcc);
u32 kcc_proven_bw(const struct kcc *kcc);
u32 kcc_model_rtt_us(const struct sock *sk);
u32 kcc_delay_us(const struct sock *sk, u32 rtt_us);
bool kcc_is_jittery(const struct kcc *kcc);
u32 kcc_noise_us(const struct sock *sk);
u32 kcc_theta_us(const struct sock *sk);
u32 kcc_bdp_pkts(const struct sock *sk, u32 bw, u32 gain);
u32 kcc_extra_acked_pkts(const struct sock *sk);
u32 kcc_elapsed_us(const struct sock *sk, u32 since_us);
void kcc_open_drained_window(struct sock *sk, bool deep);
u32 kcc_drain_gain(const struct kcc *kcc);
void kcc_set_bw(struct kcc *kcc, u32 bw);
void kcc_rotate_bw(struct kcc *kcc);
void kcc_accept_path(struct sock *sk, u32 rtt_us);
void kcc_model_update(struct sock *sk, struct kcc_ack *ack);
void kcc_model_init(struct sock *sk);

/* kcc_state.c */
void kcc_update_state(struct sock *sk, struct kcc_ack *ack);
void kcc_update_gains(struct sock *sk, const struct kcc_ack *ack);
void kcc_state_idle(struct sock *sk);

/* kcc_window.c */
unsigned long kcc_pacing_rate(const struct sock *sk, u32 bw, u32 gain);
u32 kcc_startup_pacing_gain(const struct sock *sk);
u32 kcc_startup_window_gain(const struct sock *sk);
void kcc_init_pacing_rate(struct sock *sk);
void kcc_set_pacing_rate(struct sock *sk);
u32 kcc_min_tso_segs(struct sock *sk);
u32 kcc_tso_segs_goal(struct sock *sk, unsigned int mss_now);
u32 kcc_inflight_pkts(struct sock *sk);
void kcc_save_cwnd(struct sock *sk);
void kcc_set_cwnd(struct sock *sk, const struct rate_sample *rs);

/* kcc_loss.c */
void kcc_loss_init(struct sock *sk);
u32 kcc_lost_pkts(const struct sock *sk, u32 *sent_pkts);
void kcc_loss_update(struct sock *sk, struct kcc_ack *ack);
void kcc_loss_restart(struct sock *sk);
void kcc_loss_bound_startup(struct sock *sk, const struct kcc_ack *ack);
bool kcc_loss_ends_startup(const struct sock *sk, const struct kcc_ack *ack);

/* kcc_seed.c */
void kcc_seed_join(struct sock *sk);
void kcc_seed_leave(struct sock *sk);
void kcc_seed_feed(struct sock *sk, const struct kcc_ack *ack);
enum kcc_seed_outcome kcc_seed_ask(struct sock *sk, u32 rtt_us,
				   u32 *jump_kbps, u32 *full_kbps);
void kcc_seed_settle(struct sock *sk, enum kcc_seed_outcome outcome, u32 kbps);
void kcc_seed_report(struct sock *sk, enum kcc_seed_outcome outcome, u32 kbps);

/* kcc_jump.c */
void kcc_jump_init(struct sock *sk);
void kcc_jump_release(struct sock *sk);
void kcc_jump_update(struct sock *sk, struct kcc_ack *ack);
void kcc_jump_leave(struct sock *sk, struct kcc_ack *ack);
void kcc_jump_idle(struct sock *sk);
u32 kcc_jump_limit_gain(const struct kcc *kcc, u32 gain);

/* kcc_proc.c */
int kcc_proc_init(struct net *net);
void kcc_proc_exit(struct net *net);

static inline struct kcc *kcc_ca(const struct sock *sk)
{
	return inet_csk_ca(sk);
}

/* Time for intervals of seconds, in steps of about a tenth.  It wraps after more than
 * an hour, with tcp_jiffies32 itself, so a difference of two is always right.
 */
#define KCC_TICK_SHIFT		(const_ilog2(HZ) - 3)

static inline u16 kcc_now_ticks(void)
{
	return tcp_jiffies32 >> KCC_TICK_SHIFT;
}

/* Longest delay above T of late, in us: about two probing cycles. */
static inline u32 kcc_delay_max_us(const struct kcc *kcc)
{
	return (u32)kcc->delay_max_q << 4;
}

/* A jump that nothing has confirmed yet: its rate and no more. */
static inline bool kcc_is_jumping(const struct kcc *kcc)
{
	return kcc->jump == KCC_JUMP_TRAIN || kcc->jump == KCC_JUMP_FLIGHT;
}

/* Part of the budget is ours. */
static inline bool kcc_is_granted(const struct kcc *kcc)
{
	return kcc_is_jumping(kcc) || kcc->jump == KCC_JUMP_CHECK;
}

/* Mode and phase in one number, for the tracepoints. */
static inline u32 kcc_state_id(const struct kcc *kcc)
{
	return kcc->mode << 2 | kcc->phase;
}

#endif /* KCC_H */
