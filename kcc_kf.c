// SPDX-License-Identifier: GPL-2.0
/* Kalman filter of the propagation delay
 *
 * One scalar state, one update per round trip (never per ACK: three ACKs of a
 * 40 000 packets/s flow span 75 us, and a queue that grows smoothly would be
 * absorbed into the estimate).
 *
 *   real numbers                          integers here
 *   predict   P <- min(P + Q, Pmax)       p_us2, Q = Pmax/128, Pmax = (x/8)^2
 *   gain      K  = P / (P + R)            (P << 16) / (P + R), rounded down
 *   update    x <- x + K (z - x)          x_us_q4, rounded toward x
 *             P <- (1 - K) P              never below Pmin = (x/64)^2
 *
 * Q, Pmax and Pmin grow with x^2, so a 1 ms path and a 600 ms path behave
 * alike.  P saturates at 2^32 - 1 us^2, a deviation of 65.5 ms: above an RTT
 * of 524 ms the variance is capped there, which only makes the filter a little
 * surer.  Against double precision x is off by less than 2 us plus x/2^16
 * per step (tests/unit/kf_reference.c measures it).
 *
 * The update is directional.  A queue can only lengthen an RTT, so
 *  - a shorter sample is taken at once: every RTT is an upper bound of the
 *    propagation delay (below x/2 only with a second witness);
 *  - a longer one is no evidence at all, unless the pipe was drained, in
 *    which case it makes an ordinary Kalman step;
 *  - a drained one that is longer than noise explains does not move x: it is
 *    reported, and the caller decides whether the path changed.
 *
 * Pure functions: no socket, no clock, no allocation, no lock.
 */
#include "kcc_fixed.h"
#include "kcc_kf.h"

/* Deviation at which nothing is known any more: an eighth of x.  With x/4 the
 * first confirmation moved x by a quarter of its noise; with x/16 a path that
 * wanders by 5 % looked certain.
 */
#define KCC_KF_PMAX_SHIFT	3
/* Deviation of the best estimate: 1/64 of x, what delayed ACKs and timer
 * ticks leave on an idle path.
 */
#define KCC_KF_PMIN_SHIFT	6
/* From certainty to ignorance in 128 rounds without a drained one: about ten
 * probing cycles, each of which should bring one.
 */
#define KCC_KF_Q_SHIFT		7

static u32 kcc_kf_square_us2(u32 dev_us)
{
	u64 p_us2 = (u64)dev_us * dev_us;

	return clamp_t(u64, p_us2, 1, U32_MAX);
}

static u32 kcc_kf_pmax_us2(const struct kcc_kf *kf)
{
	return kcc_kf_square_us2(kcc_kf_x_us(kf) >> KCC_KF_PMAX_SHIFT);
}

static u32 kcc_kf_pmin_us2(const struct kcc_kf *kf)
{
	return kcc_kf_square_us2(kcc_kf_x_us(kf) >> KCC_KF_PMIN_SHIFT);
}

/* Variance of one drained sample: its noise, and the grain of the path.  Not
 * saturated: beside a saturated P a noise of half a second would look small.
 */
static u64 kcc_kf_r_us2(const struct kcc_kf *kf, u32 noise_us)
{
	u64 dev_us = max(noise_us, kcc_kf_x_us(kf) >> (KCC_KF_PMIN_SHIFT - 1));

	return max_t(u64, dev_us * dev_us, 1);
}

static void kcc_kf_set_x(struct kcc_kf *kf, u32 x_us)
{
	kf->x_us_q4 = clamp_t(u32, x_us, 1, U32_MAX >> 4) << 4;
}

/**
 * kcc_kf_init() - start, or start again after a path change
 * @kf: the filter
 * @rtt_us: what is known, in us; clamped to [1, 2^28)
 */
void kcc_kf_init(struct kcc_kf *kf, u32 rtt_us)
{
	kcc_kf_set_x(kf, rtt_us);
	kf->p_us2 = kcc_kf_pmax_us2(kf);
}

/**
 * kcc_kf_predict() - one round has passed: the path may have moved
 * @kf: the filter, initialised
 */
void kcc_kf_predict(struct kcc_kf *kf)
{
	u32 pmax_us2 = kcc_kf_pmax_us2(kf);
	u64 p_us2 = (u64)kf->p_us2 + (pmax_us2 >> KCC_KF_Q_SHIFT) + 1;

	kf->p_us2 = min_t(u64, p_us2, pmax_us2);
}

/* Kalman step of a sample that lies within the gate. */
static void kcc_kf_step(struct kcc_kf *kf, u32 z_us, u32 noise_us)
{
	u64 r_us2 = kcc_kf_r_us2(kf, noise_us);
	u32 gain_q16 = div64_u64((u64)kf->p_us2 << 16, kf->p_us2 + r_us2);
	s64 nu_us_q4 = ((s64)z_us << 4) - kf->x_us_q4;
	s64 step_us_q4 = nu_us_q4 * gain_q16;

	/* A right shift of a negative value would round away from x. */
	step_us_q4 = step_us_q4 < 0 ? -(-step_us_q4 >> 16) : step_us_q4 >> 16;
	kf->x_us_q4 = clamp_t(s64, kf->x_us_q4 + step_us_q4, 1 << 4, U32_MAX);
	kf->p_us2 -= (u64)kf->p_us2 * gain_q16 >> 16;
	kf->p_us2 = max(kf->p_us2, kcc_kf_pmin_us2(kf));
}

/**
 * kcc_kf_gate_us() - how far a drained sample may lie above x and confirm it
 * @x_us: estimate in us
 * @noise_us: RTT noise in us
 *
 * Return: us above x.  A sixteenth of x is what a drain that ends one TSO
 * burst early leaves in the queue (experiments S1.3).
 */
u32 kcc_kf_gate_us(u32 x_us, u32 noise_us)
{
	return (x_us >> 4) + noise_us;
}

/**
 * kcc_kf_update() - one round's smallest RTT
 * @kf: the filter, initialised
 * @z_us: smallest RTT sample of the round in us, at least 1
 * @noise_us: RTT noise in us
 * @drained: all packets of the round were sent into a drained pipe
 * @second_witness: the round before was an outlier too
 *
 * Return: what became of the sample.  x only rises on KCC_KF_CONFIRMED, by at
 * most the gate; the variance is left as predicted where x is not moved, so a
 * filter that keeps rejecting grows less sure and asks for a drained round.
 */
enum kcc_kf_verdict kcc_kf_update(struct kcc_kf *kf, u32 z_us, u32 noise_us,
				  bool drained, bool second_witness)
{
	u32 x_us = kcc_kf_x_us(kf);

	if (z_us < x_us / 2 && !second_witness)
		return KCC_KF_OUTLIER;
	if ((u64)z_us << 4 <= kf->x_us_q4) {
		kcc_kf_step(kf, z_us, noise_us);
		kcc_kf_set_x(kf, z_us);
		return drained ? KCC_KF_CONFIRMED : KCC_KF_FELL;
	}
	if (!drained)
		return KCC_KF_REJECTED;
	if (z_us > x_us && z_us - x_us > kcc_kf_gate_us(x_us, noise_us))
		return KCC_KF_DISAGREED;
	kcc_kf_step(kf, z_us, noise_us);
	return KCC_KF_CONFIRMED;
}

/**
 * kcc_kf_confidence() - how sure the filter is
 * @kf: the filter, initialised
 *
 * Return: 0 (variance at its maximum) to KCC_UNIT (at its floor).
 */
u32 kcc_kf_confidence(const struct kcc_kf *kf)
{
	u32 pmax_us2 = kcc_kf_pmax_us2(kf), pmin_us2 = kcc_kf_pmin_us2(kf);

	if (kf->p_us2 >= pmax_us2)
		return 0;
	if (kf->p_us2 <= pmin_us2)
		return KCC_UNIT;
	return div_u64((u64)(pmax_us2 - kf->p_us2) << KCC_SCALE,
		       pmax_us2 - pmin_us2);
}

/**
 * kcc_kf_wants_recalibration() - first fail-safe layer
 * @kf: the filter, initialised
 *
 * Return: true when the variance has passed half of its maximum, about 60
 * rounds after the last drained one.
 */
bool kcc_kf_wants_recalibration(const struct kcc_kf *kf)
{
	return kf->p_us2 > kcc_kf_pmax_us2(kf) >> 1;
}
