// SPDX-License-Identifier: GPL-2.0
/* KCC: congestion control for long fat networks
 *
 * The model:  bw   = windowed max of the delivery rate
 *             T    = min(Kalman estimate, windowed min) of the RTT, which a
 *                    queue cannot raise
 *             BDP  = bw x T
 *             inflight <= 1.3 BDP in cruise, pacing rate <= bw
 *
 * kcc_state.c draws the state machine and tells its story.
 *
 * Where KCC departs from BBR (Cardwell et al., CACM 2017; tcp_bbr.c):
 *  - T: Kalman filter with a directional update (kcc_kf.c), not a 10 s minimum;
 *    PROBE_RTT at half a BDP and only when nothing else has confirmed T
 *  - STARTUP leaves on delay; window gain 2.0 instead of 2.89
 *  - DRAIN and DOWN have two gates; the cruise window is 1.3, not 2 BDP
 *  - a busy bottleneck sets bw to what was delivered ("saturated round")
 *  - loss is told apart by the phase that sent it (kcc_loss.c); no long-term
 *    bandwidth detector for policers: the inflight bound covers them
 *
 * Pacing: fq as the qdisc is best; without it TCP paces internally.
 */
#include <linux/inet_diag.h>
#include <linux/module.h>
#include <net/tcp.h>
#include "kcc.h"
#define CREATE_TRACE_POINTS
#include "kcc_trace.h"

/* Memory across connections: use it first, feed it later. */
static void kcc_remember(struct sock *sk, struct kcc_ack *ack)
{
	if (kcc_ca(sk)->jump)
		kcc_jump_update(sk, ack);
	else
		kcc_seed_feed(sk, ack);
}

static void kcc_main(struct sock *sk, const struct rate_sample *rs)
{
	struct kcc_ack ack = { .rs = rs, .round_rtt_us = ~0U };

	kcc_model_update(sk, &ack);
	if (kcc_ca(sk)->seed_scope)
		kcc_remember(sk, &ack);
	kcc_loss_update(sk, &ack);
	kcc_update_state(sk, &ack);
	kcc_update_gains(sk, &ack);
	kcc_set_pacing_rate(sk);
	kcc_set_cwnd(sk, rs);
	if (kcc_ca(sk)->round_start)
		trace_kcc_round(sk, kcc_state_id(kcc_ca(sk)), &ack);
}

KCC_COMPAT_CONG_CONTROL(kcc_cong_control, kcc_main)
KCC_COMPAT_TSO_SEGS(kcc_tso_segs, kcc_min_tso_segs, kcc_tso_segs_goal)

/* The first packets after idle are about to leave: pace them, don't burst. */
static void kcc_idle_restart(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct kcc *kcc = kcc_ca(sk);

	if (!tp->app_limited)
		return;
	kcc->idle_restart = 1;
	kcc->epoch_stamp_us = tp->tcp_mstamp;
	kcc->epoch_acked = 0;
	kcc_jump_idle(sk);
	kcc_state_idle(sk);
}

KCC_COMPAT_TX_START(kcc_tx_start, kcc_idle_restart)

static void kcc_init(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);

	memset(kcc, 0, sizeof(*kcc));
	kcc->mode = KCC_STARTUP;
	kcc->phase = KCC_NO_PHASE;
	kcc->prev_phase = KCC_NO_PHASE;
	kcc->prev_ca_state = TCP_CA_Open;
	WRITE_ONCE(tcp_sk(sk)->snd_ssthresh, TCP_INFINITE_SSTHRESH);
	kcc_model_init(sk);
	kcc_loss_init(sk);
	kcc_init_pacing_rate(sk);
	cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
	kcc_jump_init(sk);
}

static u32 kcc_ssthresh(struct sock *sk)
{
	kcc_save_cwnd(sk);
	return tcp_sk(sk)->snd_ssthresh;
}

/* The losses were not: nothing to take back but what they made us believe. */
static u32 kcc_undo_cwnd(struct sock *sk)
{
	struct kcc *kcc = kcc_ca(sk);

	kcc->flat_rounds = 0;
	if (kcc->mode == KCC_STARTUP)
		kcc->ref_bw = 0;
	kcc_loss_restart(sk);
	return max(kcc_compat_cwnd(tcp_sk(sk)), kcc->prior_cwnd);
}

/* A timeout ends the round; it leaves the inflight bound alone, since what is
 * delivered after it says nothing about what fits.
 */
static void kcc_set_state(struct sock *sk, u8 new_state)
{
	struct kcc *kcc = kcc_ca(sk);

	if (new_state != TCP_CA_Loss)
		return;
	kcc->prev_ca_state = TCP_CA_Loss;
	if (kcc->mode == KCC_STARTUP)
		kcc->ref_bw = 0;
	kcc_loss_restart(sk);
	kcc->round_start = 1;
}

/* A flow may grow again even in recovery: room for three windows (BBR). */
static u32 kcc_sndbuf_expand(struct sock *sk)
{
	return 3;
}

/* What `ss -tin` shows, in the block that it knows from BBR. */
static size_t kcc_get_info(struct sock *sk, u32 ext, int *attr,
			   union tcp_cc_info *info)
{
	struct kcc *kcc = kcc_ca(sk);
	u64 bw;

	if (!(ext & (1 << (INET_DIAG_BBRINFO - 1) | 1 << (INET_DIAG_VEGASINFO - 1))))
		return 0;
	bw = kcc_fp_bytes_per_sec(kcc_bw(kcc), tcp_sk(sk)->mss_cache, KCC_UNIT);
	memset(&info->bbr, 0, sizeof(info->bbr));
	info->bbr.bbr_bw_lo = (u32)bw;
	info->bbr.bbr_bw_hi = (u32)(bw >> 32);
	info->bbr.bbr_min_rtt = kcc_model_rtt_us(sk);
	info->bbr.bbr_pacing_gain = kcc->pacing_gain;
	info->bbr.bbr_cwnd_gain = kcc->cwnd_gain;
	*attr = INET_DIAG_BBRINFO;
	return sizeof(info->bbr);
}

static struct tcp_congestion_ops kcc_ops __read_mostly = {
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "kcc",
	.owner		= THIS_MODULE,
	.init		= kcc_init,
	.release	= kcc_jump_release,
	.cong_control	= kcc_cong_control,
	.sndbuf_expand	= kcc_sndbuf_expand,
	.undo_cwnd	= kcc_undo_cwnd,
	.ssthresh	= kcc_ssthresh,
	.get_info	= kcc_get_info,
	.set_state	= kcc_set_state,
	KCC_COMPAT_TX_START_HOOK(kcc_tx_start),
	KCC_COMPAT_TSO_SEGS_HOOK(kcc_tso_segs),
};

static int __init kcc_register(void)
{
	int err;

	BUILD_BUG_ON(sizeof(struct kcc) > 104);
	BUILD_BUG_ON(sizeof(struct kcc) > ICSK_CA_PRIV_SIZE);
	err = kcc_sysctl_init();
	if (err)
		return err;
	err = tcp_register_congestion_control(&kcc_ops);
	if (err)
		kcc_sysctl_exit();
	return err;
}

static void __exit kcc_unregister(void)
{
	tcp_unregister_congestion_control(&kcc_ops);
	kcc_sysctl_exit();
}

module_init(kcc_register);
module_exit(kcc_unregister);

MODULE_AUTHOR("The KCC developers");
MODULE_DESCRIPTION("KCC: TCP congestion control for long fat networks");
MODULE_LICENSE("GPL");
MODULE_VERSION(KCC_VERSION);
MODULE_ALIAS("tcp_kcc");
