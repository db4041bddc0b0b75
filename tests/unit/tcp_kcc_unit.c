// SPDX-License-Identifier: GPL-2.0
/* tcp_kcc.c and kcc_state.c as a part of the unit tests, with the suites that look inside
 *
 * The tracepoints are real.  Their system is the word kcc in kcc_trace.h; under
 * another name they do not clash with those of kcc.ko.  The module's own entry
 * and exit are left out, chance comes from a seed, and the wall clock stands until
 * a case moves it.
 */
#define kcc kcc_unit
#include <linux/inet_diag.h>
#include <linux/module.h>
#include <linux/prandom.h>

/* Chance that is the same in every run: how long a cruise lasts. */
static struct rnd_state unit_rnd;

static u32 unit_random_below(u32 ceil)
{
	return prandom_u32_state(&unit_rnd) % ceil;
}

#undef kcc_compat_random_below
#define kcc_compat_random_below(ceil)	unit_random_below(ceil)

/* The wall clock, which only says when a check is due. */
static u64 unit_wall_us;

#define ktime_get_real_ns()	(unit_wall_us * NSEC_PER_USEC)

#undef module_init
#undef module_exit
#undef MODULE_AUTHOR
#undef MODULE_DESCRIPTION
#undef MODULE_LICENSE
#undef MODULE_VERSION
#undef MODULE_ALIAS
#define module_init(fn)	static int (*const unit_entry)(void) __used __initconst = fn
#define module_exit(fn)	static void (*unit_exit)(void) __used __exitdata = fn
#define MODULE_AUTHOR(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_LICENSE(text)
#define MODULE_VERSION(text)
#define MODULE_ALIAS(text)
#include "../../kcc_jump.c"
#include "../../kcc_window.c"
#include "../../kcc_state.c"
#include "../../tcp_kcc.c"

#include "kcc_unit.h"

void unit_init(struct sock *sk)
{
	kcc_init(sk);
}

void unit_cong_control(struct sock *sk, const struct rate_sample *rs)
{
	kcc_main(sk, rs);
}

void unit_wall_clock(u64 now_us)
{
	unit_wall_us = now_us;
}

/* --- what was traced ------------------------------------------------------ */

#define UNIT_ID(mode, phase)	((mode) << 2 | (phase))

enum unit_state {
	STARTUP = UNIT_ID(KCC_STARTUP, KCC_NO_PHASE),
	DRAIN = UNIT_ID(KCC_DRAIN, KCC_NO_PHASE),
	UP = UNIT_ID(KCC_PROBE_BW, KCC_UP),
	DOWN = UNIT_ID(KCC_PROBE_BW, KCC_DOWN),
	CRUISE = UNIT_ID(KCC_PROBE_BW, KCC_CRUISE),
	PROBE_RTT = UNIT_ID(KCC_PROBE_RTT, KCC_NO_PHASE),
};

struct unit_arrow {
	u8	from;
	u8	to;
	u8	why;
};

/* The transitions of the case under way, as the tracepoint told them. */
static struct unit_arrow unit_arrows[512];
static u32 unit_arrow_count;

/* Every different one, over all cases. */
static struct unit_arrow unit_walked[64];
static u32 unit_walked_count;

static bool unit_has_walked(struct unit_arrow arrow)
{
	u32 i;

	for (i = 0; i < unit_walked_count; i++)
		if (!memcmp(&unit_walked[i], &arrow, sizeof(arrow)))
			return true;
	return false;
}

static void unit_trace_state(void *data, const struct sock *sk, u32 from, u32 to,
			     u32 why)
{
	struct unit_arrow arrow = { .from = from, .to = to, .why = why };

	if (unit_arrow_count < ARRAY_SIZE(unit_arrows))
		unit_arrows[unit_arrow_count++] = arrow;
	if (unit_walked_count < ARRAY_SIZE(unit_walked) && !unit_has_walked(arrow))
		unit_walked[unit_walked_count++] = arrow;
}

static int unit_trace_begin(struct kunit_suite *suite)
{
	return register_trace_kcc_state(unit_trace_state, NULL);
}

static void unit_trace_end(struct kunit_suite *suite)
{
	unregister_trace_kcc_state(unit_trace_state, NULL);
	tracepoint_synchronize_unregister();
}

static int unit_case_init(struct kunit *test)
{
	unit_arrow_count = 0;
	prandom_seed_state(&unit_rnd, 1);
	unit_wall_clock(USEC_PER_SEC);	/* no slot begins here */
	return 0;
}

static const char *const unit_whys[] = {
	[KCC_WHY_PLATEAU] = "plateau",
	[KCC_WHY_LOSS] = "loss",
	[KCC_WHY_DELAY] = "delay",
	[KCC_WHY_NOT_OURS] = "not_ours",
	[KCC_WHY_DRAINED] = "drained",
	[KCC_WHY_TIMEOUT] = "timeout",
	[KCC_WHY_TARGET] = "target",
	[KCC_WHY_ROOM] = "room",
	[KCC_WHY_CYCLE] = "cycle",
	[KCC_WHY_INTERVAL] = "interval",
	[KCC_WHY_PATH_CHECK] = "path_check",
	[KCC_WHY_CONFIRMED] = "confirmed",
	[KCC_WHY_PATH_CHANGE] = "path_change",
	[KCC_WHY_IDLE] = "idle",
};

static const char *const unit_states[] = {
	[STARTUP] = "STARTUP",
	[DRAIN] = "DRAIN",
	[UP] = "UP",
	[DOWN] = "DOWN",
	[CRUISE] = "CRUISE",
	[PROBE_RTT] = "PROBE_RTT",
};

/* A case that fails tells how the flow came to where it is. */
static void unit_case_exit(struct kunit *test)
{
	u32 first = unit_arrow_count > 24 ? unit_arrow_count - 24 : 0, i;

	if (test->status != KUNIT_FAILURE)
		return;
	for (i = first; i < unit_arrow_count; i++)
		kunit_info(test, "transition %u: %s to %s, %s", i,
			   unit_states[unit_arrows[i].from],
			   unit_states[unit_arrows[i].to],
			   unit_whys[unit_arrows[i].why]);
}

/* How often a transition was made in this case. */
static u32 unit_count(enum unit_state from, enum unit_state to, enum kcc_why why)
{
	u32 i, n = 0;

	for (i = 0; i < unit_arrow_count; i++)
		n += unit_arrows[i].from == from && unit_arrows[i].to == to &&
		     unit_arrows[i].why == why;
	return n;
}

/* The last transition was this one. */
static void expect_arrow(struct kunit *test, enum unit_state from,
			 enum unit_state to, enum kcc_why why)
{
	struct unit_arrow last;

	KUNIT_ASSERT_GT_MSG(test, unit_arrow_count, 0, "no transition at all");
	last = unit_arrows[unit_arrow_count - 1];
	KUNIT_EXPECT_EQ(test, last.from, from);
	KUNIT_EXPECT_EQ(test, last.to, to);
	KUNIT_EXPECT_EQ(test, last.why, why);
}

static void expect_no_arrow(struct kunit *test)
{
	if (!unit_arrow_count)
		return;
	KUNIT_FAIL(test, "unexpected transition from %u to %u because of %u",
		   unit_arrows[0].from, unit_arrows[0].to, unit_arrows[0].why);
}

static void expect_state(struct kunit *test, const struct sock *sk,
			 enum unit_state state)
{
	KUNIT_EXPECT_EQ(test, kcc_state_id(kcc_ca(sk)), state);
}

/* --- a flow put into a state ---------------------------------------------- */

static void unit_clock(struct sock *sk, u32 us)
{
	struct tcp_sock *tp = tcp_sk(sk);

	tp->tcp_mstamp += us;
	tp->tcp_clock_cache += us * NSEC_PER_USEC;
	tp->tcp_wstamp_ns = tp->tcp_clock_cache;
}

/* A flow that knows its path for certain, with one BDP in flight and nothing
 * queued, about to wrap its counter of delivered packets.
 */
static struct sock *unit_flow(struct kunit *test, enum unit_state state)
{
	struct sock *sk = unit_sock(test);
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);

	tp->delivered = U32_MAX - UNIT_BDP;
	tp->packets_out = UNIT_BDP;
	tp->snd_cwnd = UNIT_BDP * 13 / 10;
	unit_rtt(sk, UNIT_RTT_US);
	kcc_init(sk);
	kcc_set_bw(kcc, UNIT_BW);
	kcc->kf.p_us2 = 1;
	kcc->proven = 1;
	kcc->mode = state >> 2;
	kcc->phase = state & 3;
	kcc->prev_phase = kcc->phase;
	kcc->acc_phase = kcc->phase;
	kcc->full_pipe = state != STARTUP;
	kcc->base_weight = 100;
	kcc->cruise_rounds = KCC_CRUISE_ROUNDS;
	if (state == UP)
		kcc->ref_bw = UNIT_BW;
	/* the round under way ends one BDP from now */
	kcc->next_round = tp->delivered;
	unit_clock(sk, 1);
	return sk;
}

/* An ACK in the middle of the round, at the rate and from the phase of now. */
static struct rate_sample unit_sample(const struct sock *sk, u32 rtt_us)
{
	return (struct rate_sample){
		.prior_delivered = kcc_ca(sk)->next_round - 1,
		.delivered = UNIT_BDP,
		.interval_us = UNIT_RTT_US,
		.rtt_us = rtt_us,
		.acked_sacked = 1,
		.prior_in_flight = tcp_packets_in_flight(tcp_sk(sk)) + 1,
	};
}

/* The ACK arrives; a new packet takes the place of the acked one. */
static void unit_take(struct sock *sk, const struct rate_sample *rs)
{
	tcp_sk(sk)->delivered += rs->acked_sacked;
	tcp_sk(sk)->lost += rs->losses;
	kcc_main(sk, rs);
}

static void unit_ack(struct sock *sk, u32 rtt_us)
{
	struct rate_sample rs = unit_sample(sk, rtt_us);

	unit_take(sk, &rs);
}

/* So many ACKs that the smallest RTT of the round means something. */
static void unit_acks(struct sock *sk, u32 rtt_us)
{
	u32 i;

	for (i = 0; i < KCC_DELAY_MIN_SAMPLES; i++)
		unit_ack(sk, rtt_us);
}

/* The first ACK of a new round, as a sample to be changed and taken. */
static struct rate_sample unit_next_round(struct sock *sk, u32 rtt_us)
{
	struct rate_sample rs;

	unit_clock(sk, UNIT_RTT_US);
	tcp_sk(sk)->delivered += UNIT_BDP;
	rs = unit_sample(sk, rtt_us);
	rs.prior_delivered = kcc_ca(sk)->next_round;
	return rs;
}

/* The round ends with this RTT as its smallest, and another one begins. */
static void unit_round(struct sock *sk, u32 rtt_us)
{
	struct rate_sample rs;

	kcc_ca(sk)->round_rtt_us = rtt_us;
	rs = unit_next_round(sk, rtt_us);
	unit_take(sk, &rs);
}

/* The same, and all of its packets were sent into a drained pipe. */
static void unit_drained_round(struct sock *sk, u32 rtt_us)
{
	kcc_ca(sk)->window_open = 0;
	kcc_ca(sk)->window_done = 1;
	kcc_ca(sk)->drained_rtt_us = rtt_us;
	unit_round(sk, rtt_us);
}

#include "kcc_start_test.c"
#include "kcc_state_test.c"
#include "kcc_probe_rtt_test.c"
#include "kcc_window_test.c"
#include "kcc_foreign_test.c"
#include "kcc_jump_test.c"
#include "kcc_life_test.c"
