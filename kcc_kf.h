/* SPDX-License-Identifier: GPL-2.0 */
/* Kalman filter of the propagation delay: interface.  See kcc_kf.c. */
#ifndef KCC_KF_H
#define KCC_KF_H

#include <linux/types.h>

/* One connection's estimate: 8 bytes in the congestion control block.
 * x_us_q4 is 0 until the first RTT sample; afterwards at least 1 us.
 */
struct kcc_kf {
	u32	x_us_q4;	/* estimate, us << 4 (268 s at most) */
	u32	p_us2;		/* its variance, us^2, saturated at (65.5 ms)^2 */
};

/* What a sample did to the estimate. */
enum kcc_kf_verdict {
	KCC_KF_FELL,		/* an RTT is an upper bound: x took it */
	KCC_KF_CONFIRMED,	/* drained, and within the gate: Kalman step */
	KCC_KF_REJECTED,	/* longer and not drained: no evidence */
	KCC_KF_OUTLIER,		/* below half of x: needs a second witness */
	KCC_KF_DISAGREED,	/* drained, but longer than the gate allows */
};

void kcc_kf_init(struct kcc_kf *kf, u32 rtt_us);
void kcc_kf_predict(struct kcc_kf *kf);
enum kcc_kf_verdict kcc_kf_update(struct kcc_kf *kf, u32 z_us, u32 noise_us,
				  bool drained, bool second_witness);
u32 kcc_kf_gate_us(u32 x_us, u32 noise_us);
u32 kcc_kf_confidence(const struct kcc_kf *kf);
bool kcc_kf_wants_recalibration(const struct kcc_kf *kf);

/* The estimate in whole us, rounded to nearest; 0 before the first sample. */
static inline u32 kcc_kf_x_us(const struct kcc_kf *kf)
{
	return (kf->x_us_q4 >> 4) + ((kf->x_us_q4 >> 3) & 1);
}

#endif /* KCC_KF_H */
