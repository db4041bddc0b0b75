// SPDX-License-Identifier: GPL-2.0
/* A path of one bottleneck, simulated packet by packet under a mock socket
 *
 *   sender --paced--> [ buffer_pkts ] --pkt_us each--> rtt_us --> ACK
 *
 * Delivery rates are sampled as tcp_rate.c does it.  Every packet is acked by
 * itself and in order.  Time is the simulation's own.
 */
#include "kcc.h"
#include "kcc_unit.h"

#define UNIT_RING	8192U	/* most packets in flight, a power of two */

struct unit_pkt {
	u64	sent_us;
	u64	acked_us;	/* when its ACK arrives, or would */
	u64	first_tx_us;	/* tcp_rate.c: start of the send interval */
	u64	delivered_us;	/* tcp_rate.c: start of the ACK interval */
	u32	delivered;
	bool	is_app_limited;
	bool	is_lost;
};

/* A path with a connection on it that has just been opened. */
struct unit_path *unit_path(struct kunit *test, u32 pkt_us, u32 rtt_us,
			    u32 buffer_pkts)
{
	struct unit_path *path = kunit_kzalloc(test, sizeof(*path), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, path);
	path->pkts = kunit_kcalloc(test, UNIT_RING, sizeof(*path->pkts),
				   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, path->pkts);
	path->pkt_us = pkt_us;
	path->rtt_us = rtt_us;
	path->buffer_pkts = buffer_pkts;
	path->sk = unit_sock(test);
	path->now_us = tcp_sk(path->sk)->tcp_mstamp;
	unit_rtt(path->sk, rtt_us + pkt_us);
	unit_init(path->sk);
	return path;
}

/* Jiffies cannot be moved: the one stamp that is taken from them moves instead. */
static void unit_path_age_stamps(struct unit_path *path, u64 now_us)
{
	u32 tick_us = (USEC_PER_SEC / HZ) << KCC_TICK_SHIFT;

	kcc_ca(path->sk)->fresh_ticks -= div_u64(now_us, tick_us) -
					 div_u64(path->now_us, tick_us);
}

static void unit_path_set_clock(struct unit_path *path, u64 now_us)
{
	struct tcp_sock *tp = tcp_sk(path->sk);

	unit_path_age_stamps(path, now_us);
	unit_wall_clock(now_us);
	path->now_us = now_us;
	tp->tcp_mstamp = now_us;
	tp->tcp_clock_cache = now_us * NSEC_PER_USEC;
	tp->tcp_wstamp_ns = max(path->send_us, now_us) * NSEC_PER_USEC;
}

static void unit_path_send(struct unit_path *path)
{
	struct unit_pkt *pkt = &path->pkts[path->head & (UNIT_RING - 1)];
	struct tcp_sock *tp = tcp_sk(path->sk);
	u64 start_us = max(path->idle_us, path->now_us);
	u32 queue_pkts = div_u64(start_us - path->now_us, path->pkt_us);

	path->max_queue_pkts = max(path->max_queue_pkts, queue_pkts);
	if (!tp->packets_out) {
		tp->first_tx_mstamp = path->now_us;
		tp->delivered_mstamp = path->now_us;
	}
	*pkt = (struct unit_pkt){
		.sent_us = path->now_us,
		.first_tx_us = tp->first_tx_mstamp,
		.delivered_us = tp->delivered_mstamp,
		.delivered = tp->delivered,
		.is_app_limited = tp->app_limited,
		.is_lost = queue_pkts > path->buffer_pkts ||
			   (path->drop_every &&
			    path->head % path->drop_every == path->drop_every - 1),
	};
	if (!pkt->is_lost)
		path->idle_us = start_us + path->pkt_us;
	pkt->acked_us = start_us + path->pkt_us + path->foreign_us + path->rtt_us;
	path->head++;
	tp->packets_out++;
	path->send_us = path->now_us +
			div64_u64((u64)tp->mss_cache * USEC_PER_SEC,
				  max(path->sk->sk_pacing_rate, 1UL));
}

/* The smoothed RTT and its deviation, as tcp_rtt_estimator() keeps them. */
static void unit_path_smooth_rtt(struct tcp_sock *tp, long rtt_us)
{
	long m = rtt_us - (tp->srtt_us >> 3);

	tp->srtt_us += m;
	if (m < 0) {
		m = -m - (tp->mdev_us >> 2);
		/* a deviation below is taken an eighth as seriously */
		if (m > 0)
			m >>= 3;
	} else {
		m -= tp->mdev_us >> 2;
	}
	tp->mdev_us += m;
}

static void unit_path_ack(struct unit_path *path)
{
	struct unit_pkt *pkt = &path->pkts[path->tail++ & (UNIT_RING - 1)];
	struct tcp_sock *tp = tcp_sk(path->sk);
	struct rate_sample rs = {
		.prior_mstamp = pkt->delivered_us,
		.prior_delivered = pkt->delivered,
		.prior_in_flight = tcp_packets_in_flight(tp),
		.is_app_limited = pkt->is_app_limited,
		.acked_sacked = 1,
	};

	tp->packets_out--;
	if (pkt->is_lost) {
		tp->lost++;
		path->lost_pkts++;
		return;
	}
	tp->delivered++;
	tp->delivered_mstamp = path->now_us;
	tp->first_tx_mstamp = pkt->sent_us;
	if (tp->app_limited && after(tp->delivered, tp->app_limited))
		tp->app_limited = 0;
	rs.delivered = tp->delivered - pkt->delivered;
	rs.interval_us = max(pkt->sent_us - pkt->first_tx_us,
			     path->now_us - pkt->delivered_us);
	rs.rtt_us = path->now_us - pkt->sent_us;
	unit_path_smooth_rtt(tp, rs.rtt_us);
	rs.losses = path->lost_pkts;
	path->lost_pkts = 0;
	unit_cong_control(path->sk, &rs);
}

/* When the next packet may leave; never while the window is full. */
static u64 unit_path_next_send_us(const struct unit_path *path)
{
	const struct tcp_sock *tp = tcp_sk(path->sk);

	if (tcp_packets_in_flight(tp) >= tcp_snd_cwnd(tp) ||
	    path->head - path->tail >= UNIT_RING)
		return U64_MAX;
	return max3(path->send_us, path->write_us, path->now_us);
}

/* The application has written a packet and has no other for a while. */
static void unit_path_write(struct unit_path *path)
{
	struct tcp_sock *tp = tcp_sk(path->sk);

	if (!path->app_us)
		return;
	path->write_us = path->now_us + path->app_us;
	tp->app_limited = (tp->delivered + tcp_packets_in_flight(tp)) ? : 1;
}

/* Run for so long, or until a condition holds after an ACK; true if it does. */
bool unit_path_run(struct unit_path *path, u32 us,
		   bool (*until)(const struct sock *sk))
{
	u64 end_us = path->now_us + us, send_us, ack_us;

	for (;;) {
		send_us = unit_path_next_send_us(path);
		ack_us = path->head == path->tail ? U64_MAX :
			 path->pkts[path->tail & (UNIT_RING - 1)].acked_us;
		if (min(send_us, ack_us) > end_us) {
			unit_path_set_clock(path, end_us);
			return false;
		}
		if (send_us < ack_us) {
			unit_path_set_clock(path, send_us);
			unit_path_send(path);
			unit_path_write(path);
			continue;
		}
		/* a path that got shorter does not let ACKs overtake */
		unit_path_set_clock(path, max(ack_us, path->now_us));
		unit_path_ack(path);
		if (until && until(path->sk))
			return true;
	}
}
