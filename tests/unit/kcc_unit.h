/* SPDX-License-Identifier: GPL-2.0 */
/* What the unit tests of KCC share: a socket without a network, a path without
 * packets, and the suites.
 */
#ifndef KCC_UNIT_H
#define KCC_UNIT_H

#include <kunit/test.h>
#include <net/tcp.h>

/* A known flow: 10 000 packets/s at 40 ms, a BDP of 400 packets. */
#define UNIT_BW		(KCC_BW_UNIT / 100)
#define UNIT_RTT_US	40000U
#define UNIT_BDP	400U
#define UNIT_MSS	1448U

struct kcc_net;

/* A bottleneck of one flow, packet by packet.  A lost packet is missed when the
 * ACK of the one behind it arrives.  No recovery and no timeout: new data takes
 * the place of lost data.  Everything but the state may change on the way.
 */
struct unit_path {
	u32	pkt_us;		/* time that the bottleneck takes for a packet */
	u32	rtt_us;		/* propagation delay, both ways */
	u32	buffer_pkts;	/* queue at the bottleneck */
	u32	foreign_us;	/* queue of somebody else, not to be drained */
	u32	app_us;		/* the application writes a packet this often */
	u32	drop_every;	/* the path itself loses one packet in so many */

	/* state */
	struct sock *sk;
	struct unit_pkt *pkts;	/* ring of what is in flight */
	u64	now_us;
	u64	send_us;	/* pacing allows the next packet then */
	u64	write_us;	/* the application writes the next packet then */
	u64	idle_us;	/* the bottleneck has nothing to do from then on */
	u32	head, tail;	/* of the ring: next to send, next to be acked */
	u32	max_queue_pkts;	/* most that has stood at the bottleneck */
	u32	lost_pkts;	/* to be reported with the next ACK */
};

/* kcc_unit_main.c */
struct sock *unit_sock(struct kunit *test);
void unit_rtt(struct sock *sk, u32 rtt_us);

/* path.c */
struct unit_path *unit_path(struct kunit *test, u32 pkt_us, u32 rtt_us,
			    u32 buffer_pkts);
bool unit_path_run(struct unit_path *path, u32 us,
		   bool (*until)(const struct sock *sk));

/* The source file under test is part of the test's object file. */
void unit_reset_settings(struct kcc_net *kn);			/* kcc_sysctl */
void unit_init(struct sock *sk);				/* tcp_kcc */
void unit_cong_control(struct sock *sk, const struct rate_sample *rs);
void unit_wall_clock(u64 now_us);

extern struct kunit_suite kcc_seed_suite;
extern struct kunit_suite kcc_jump_suite;
extern struct kunit_suite kcc_fixed_suite;
extern struct kunit_suite kcc_kf_suite;
extern struct kunit_suite kcc_size_suite;
extern struct kunit_suite kcc_sysctl_suite;
extern struct kunit_suite kcc_model_suite;
extern struct kunit_suite kcc_noise_suite;
extern struct kunit_suite kcc_loss_suite;
extern struct kunit_suite kcc_loss_full_suite;
extern struct kunit_suite kcc_loss_cycle_suite;
extern struct kunit_suite kcc_start_suite;
extern struct kunit_suite kcc_state_suite;
extern struct kunit_suite kcc_probe_rtt_suite;
extern struct kunit_suite kcc_window_suite;
extern struct kunit_suite kcc_foreign_suite;
extern struct kunit_suite kcc_life_suite;

#endif /* KCC_UNIT_H */
