// SPDX-License-Identifier: GPL-2.0
/* The integer filter against real numbers
 *
 * Compiles the module's own kcc_kf.c and kcc_fixed.h for this machine and
 * compares them with double precision over random and adversarial sequences.
 * Built with the sanitizers, so that undefined behaviour ends it.
 *
 * What is bound, for paths of 1 us to 2 s and noise up to 65 ms:
 *
 *   one step from the same state     |dx| < 2 us + (x/16 + noise) / 2^16
 *   any sequence, each on its own    |dx| < 6 us + (x + 2 noise) / 2^16
 *   variance after one step          |dP| < P x (128/x + 2^-16) + 2 us^2
 *
 * The 2 us come from deviations that are whole us (x/8, x/32, x/64), the 2^-16
 * from the gain, the 6 us and the whole x from steps that add up.  Longer paths
 * and more noise, where variances leave 32 bits, have cases of their own.
 *
 * Output: KTAP.  Exit status: 0 all hold, 1 one does not.
 */
#include <math.h>
#include <stdio.h>

#include "../../kcc_kf.c"

/* P is a u32 in us^2: a deviation of 65.5 ms. */
#define CAP_US2		4294967295.0
#define NO_CAP		1e30
#define RTT_MAX_US	2000000U
#define NOISE_MAX_US	65535U
/* Satellites with a full buffer; noise as they have it. */
#define LONG_RTT_MAX_US	10000000U
#define LONG_NOISE_MAX_US 500000U

struct real_kf {
	double	x_us;
	double	p_us2;
	double	cap_us2;
};

/* One comparison over many inputs: the worst error against its own bound. */
struct worst {
	double	ratio;		/* error / bound, fails at 1 */
	double	error;
	double	bound;
	char	where[160];
};

static unsigned int case_count, failed_count;
static u64 seed = 88172645463325252ULL;

static u32 random_u32(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 32;
}

/* Uniform in the logarithm, from 1 to max. */
static u32 random_size(u32 max)
{
	u32 v = random_u32();

	return (v >> (random_u32() % 32)) % max + 1;
}

static void note(struct worst *worst, double error, double bound, const char *format,
		 double a, double b, double c, double d)
{
	if (error / bound <= worst->ratio)
		return;
	worst->ratio = error / bound;
	worst->error = error;
	worst->bound = bound;
	snprintf(worst->where, sizeof(worst->where), format, a, b, c, d);
}

static void report(const char *name, const struct worst *worst)
{
	bool ok = worst->ratio < 1;

	printf("# %s: worst error %.4g, bound %.4g (%s)\n", name, worst->error,
	       worst->bound, worst->where);
	printf("%sok %u - %s\n", ok ? "" : "not ", ++case_count, name);
	failed_count += !ok;
}

/* --- the filter in real numbers, as the header of kcc_kf.c writes it ---------- */

static double square(double v)
{
	return v * v;
}

static double real_pmax(const struct real_kf *kf)
{
	return fmin(square(kf->x_us / 8), kf->cap_us2);
}

static double real_pmin(const struct real_kf *kf)
{
	return fmin(square(kf->x_us / 64), kf->cap_us2);
}

static void real_predict(struct real_kf *kf)
{
	kf->p_us2 = fmin(kf->p_us2 + real_pmax(kf) / 128, real_pmax(kf));
}

static void real_step(struct real_kf *kf, double z_us, double noise_us)
{
	double r_us2 = square(fmax(noise_us, kf->x_us / 32));
	double gain = kf->p_us2 / (kf->p_us2 + r_us2);

	kf->x_us += gain * (z_us - kf->x_us);
	kf->p_us2 = fmax((1 - gain) * kf->p_us2, real_pmin(kf));
}

/* The same verdict as the integers, so that only the arithmetic is compared. */
static void real_update(struct real_kf *kf, enum kcc_kf_verdict verdict, bool has_fallen,
			u32 z_us, u32 noise_us)
{
	if (verdict != KCC_KF_FELL && verdict != KCC_KF_CONFIRMED)
		return;
	real_step(kf, z_us, noise_us);
	if (has_fallen)
		kf->x_us = z_us;
}

static struct real_kf real_of(const struct kcc_kf *kf, double cap_us2)
{
	return (struct real_kf){
		.x_us = kf->x_us_q4 / 16.0,
		.p_us2 = kf->p_us2,
		.cap_us2 = cap_us2,
	};
}

/* --- sequences ------------------------------------------------------------------ */

struct sample {
	u32	z_us;
	u32	noise_us;
	bool	drained;
	bool	second_witness;
};

static u32 clamp_rtt(u32 z_us)
{
	return z_us < 1 ? 1 : z_us > 2 * LONG_RTT_MAX_US ? 2 * LONG_RTT_MAX_US : z_us;
}

static struct sample random_sample(const struct kcc_kf *kf, u32 noise_max_us)
{
	u32 x_us = kcc_kf_x_us(kf), gate_us;
	struct sample s = {};

	/* one after the other, so that every compiler draws the same numbers */
	if (random_u32() % 3)
		s.noise_us = random_size(x_us) % (noise_max_us + 1);
	s.drained = random_u32() % 2;
	s.second_witness = random_u32() % 2;
	gate_us = kcc_kf_gate_us(x_us, s.noise_us);
	switch (random_u32() % 6) {
	case 0:
		s.z_us = x_us + gate_us;
		break;
	case 1:
		s.z_us = x_us + gate_us + 1 + random_u32() % (x_us + 1);
		break;
	case 2:
		s.z_us = x_us - random_u32() % (x_us / 16 + 1);
		break;
	case 3:
		s.z_us = random_u32() % (x_us + 1);
		break;
	default:
		s.z_us = x_us + random_u32() % (gate_us + 1);
		break;
	}
	s.z_us = clamp_rtt(s.z_us);
	return s;
}

/* What hurts rounding most: the edges of the gate, gains that jump, ratchets. */
static struct sample adversarial_sample(const struct kcc_kf *kf, u32 kind, u32 i,
					u32 noise_max_us)
{
	u32 x_us = kcc_kf_x_us(kf);
	struct sample s = { .drained = true };

	switch (kind) {
	case 0:		/* always the edge of the gate, without noise */
		s.z_us = x_us + kcc_kf_gate_us(x_us, 0);
		break;
	case 1:		/* the same with noise that comes and goes */
		s.noise_us = i % 2 ? x_us % (noise_max_us + 1) : 0;
		s.z_us = x_us + kcc_kf_gate_us(x_us, s.noise_us);
		break;
	case 2:		/* up by the gate, down by one */
		s.z_us = i % 2 ? x_us + kcc_kf_gate_us(x_us, 0) : x_us - 1;
		break;
	case 3:		/* 1 us above, for ever */
		s.z_us = x_us + 1;
		break;
	case 4:		/* certain for long, then the edge */
		s.z_us = i % 64 ? x_us : x_us + kcc_kf_gate_us(x_us, 0);
		break;
	default:	/* forgotten for long, then the edge */
		s.drained = i % 200 == 199;
		s.z_us = x_us + kcc_kf_gate_us(x_us, 0);
		break;
	}
	s.z_us = clamp_rtt(s.z_us);
	return s;
}

#define ADVERSARIES	6

/* Paths grow in a sequence; start again before they leave the range. */
static bool is_in_range(const struct kcc_kf *kf)
{
	return kcc_kf_x_us(kf) <= RTT_MAX_US;
}

static double nu_max(u32 x_us, u32 noise_us)
{
	return x_us / 16.0 + noise_us;
}

/* One round of both from the state of the integers. */
static void compare_step(const struct kcc_kf *before, struct kcc_kf *kf,
			 const struct sample *s, double cap_us2, struct real_kf *real)
{
	u32 x_us = kcc_kf_x_us(before);
	enum kcc_kf_verdict verdict;

	*real = real_of(before, cap_us2);
	real_predict(real);
	kcc_kf_predict(kf);
	verdict = kcc_kf_update(kf, s->z_us, s->noise_us, s->drained, s->second_witness);
	real_update(real, verdict, s->z_us <= x_us, s->z_us, s->noise_us);
}

static void one_step_of_x(void)
{
	struct worst worst = {}, small = {};
	struct kcc_kf kf, before;
	struct real_kf real;
	struct sample s;
	u32 run, i, x_us;
	double error;

	for (run = 0; run < 20000; run++) {
		kcc_kf_init(&kf, random_size(RTT_MAX_US));
		for (i = 0; i < 100 && is_in_range(&kf); i++) {
			s = random_sample(&kf, NOISE_MAX_US);
			before = kf;
			x_us = kcc_kf_x_us(&kf);
			compare_step(&before, &kf, &s, CAP_US2, &real);
			error = fabs(real.x_us - kf.x_us_q4 / 16.0);
			note(&worst, error, 2 + nu_max(x_us, s.noise_us) / 65536,
			     "x %.0f z %.0f noise %.0f us, P %.0f us^2", x_us, s.z_us,
			     s.noise_us, before.p_us2);
			/* below 32 us the 2 us would say nothing */
			if (x_us < 32)
				note(&small, error, 1,
				     "x %.0f z %.0f noise %.0f us, P %.0f us^2", x_us,
				     s.z_us, s.noise_us, before.p_us2);
		}
	}
	report("update one_step_of_x_is_near_double", &worst);
	report("update one_step_of_x_below_32_us_is_near_double", &small);
}

static void one_step_of_p(void)
{
	struct worst worst = {};
	struct kcc_kf kf, before;
	struct real_kf real;
	struct sample s;
	u32 run, i;

	for (run = 0; run < 20000; run++) {
		kcc_kf_init(&kf, random_size(RTT_MAX_US));
		for (i = 0; i < 100 && is_in_range(&kf); i++) {
			s = random_sample(&kf, NOISE_MAX_US);
			before = kf;
			compare_step(&before, &kf, &s, CAP_US2, &real);
			note(&worst, fabs(real.p_us2 - kf.p_us2),
			     real.p_us2 * (128 / real.x_us + 1.0 / 65536) + 2,
			     "x %.0f z %.0f noise %.0f us, P %.0f us^2",
			     before.x_us_q4 / 16.0, s.z_us, s.noise_us, before.p_us2);
		}
	}
	report("update one_step_of_p_is_near_double", &worst);
}

/* Both run on their own from the same start; errors may add up. */
static void run_free(struct worst *worst, u32 kind, u32 start_us, u32 rounds)
{
	struct kcc_kf kf;
	struct real_kf real;
	enum kcc_kf_verdict verdict;
	double noise_us = 0;
	struct sample s;
	u32 i, x_us;

	kcc_kf_init(&kf, start_us);
	real = (struct real_kf){ .x_us = start_us, .cap_us2 = CAP_US2 };
	real.p_us2 = real_pmax(&real);
	for (i = 0; i < rounds && is_in_range(&kf); i++) {
		s = kind < ADVERSARIES ?
		    adversarial_sample(&kf, kind, i, NOISE_MAX_US) :
		    random_sample(&kf, NOISE_MAX_US);
		x_us = kcc_kf_x_us(&kf);
		noise_us = fmax(noise_us, s.noise_us);
		real_predict(&real);
		kcc_kf_predict(&kf);
		verdict = kcc_kf_update(&kf, s.z_us, s.noise_us, s.drained,
					s.second_witness);
		real_update(&real, verdict, s.z_us <= x_us, s.z_us, s.noise_us);
		note(worst, fabs(real.x_us - kf.x_us_q4 / 16.0),
		     6 + (x_us + 2 * noise_us) / 65536,
		     "start %.0f us, sequence %.0f, round %.0f, x %.0f us", start_us,
		     kind, i, x_us);
	}
}

static void sequences_of_x(void)
{
	struct worst worst = {}, adversarial = {};
	u32 run, kind;

	for (run = 0; run < 4000; run++)
		run_free(&worst, ADVERSARIES, random_size(RTT_MAX_US), 500);
	report("update random_sequences_stay_near_double", &worst);
	for (run = 0; run < 1000; run++)
		for (kind = 0; kind < ADVERSARIES; kind++)
			run_free(&adversarial, kind, random_size(RTT_MAX_US), 1000);
	report("update adversarial_sequences_stay_near_double", &adversarial);
}

/* --- verdicts ------------------------------------------------------------------- */

static enum kcc_kf_verdict real_verdict(double x_us, const struct sample *s)
{
	if (s->z_us < x_us / 2 && !s->second_witness)
		return KCC_KF_OUTLIER;
	if (s->z_us <= x_us)
		return s->drained ? KCC_KF_CONFIRMED : KCC_KF_FELL;
	if (!s->drained)
		return KCC_KF_REJECTED;
	return s->z_us - x_us > nu_max(x_us, s->noise_us) ? KCC_KF_DISAGREED :
							    KCC_KF_CONFIRMED;
}

/* Edges are whole us in the integers: within 2 us of one both are right. */
static bool is_near_an_edge(double x_us, const struct sample *s)
{
	return fabs(s->z_us - x_us / 2) <= 2 || fabs(s->z_us - x_us) <= 2 ||
	       fabs(s->z_us - x_us - nu_max(x_us, s->noise_us)) <= 2;
}

static void verdicts(void)
{
	struct kcc_kf kf, before;
	struct worst worst = {};
	enum kcc_kf_verdict verdict;
	struct sample s;
	double x_us;
	u32 run, i;

	for (run = 0; run < 20000; run++) {
		kcc_kf_init(&kf, random_size(RTT_MAX_US));
		for (i = 0; i < 100 && is_in_range(&kf); i++) {
			s = random_sample(&kf, NOISE_MAX_US);
			kcc_kf_predict(&kf);
			before = kf;
			x_us = before.x_us_q4 / 16.0;
			verdict = kcc_kf_update(&kf, s.z_us, s.noise_us, s.drained,
						s.second_witness);
			if (is_near_an_edge(x_us, &s))
				continue;
			note(&worst, verdict != real_verdict(x_us, &s), 1,
			     "x %.0f z %.0f noise %.0f us, verdict %.0f", x_us, s.z_us,
			     s.noise_us, verdict);
		}
	}
	report("update verdicts_are_those_of_real_numbers", &worst);
}

/* --- where u32 is too small for a variance ------------------------------------------ */

/* P is capped above 524 ms, which must only make the filter surer. */
static void capped_p(void)
{
	struct worst worst = {};
	struct kcc_kf kf, before;
	struct real_kf real;
	struct sample s;
	u32 run, i, x_us;

	for (run = 0; run < 2000; run++) {
		kcc_kf_init(&kf, 524288 + random_u32() % 1500000);
		for (i = 0; i < 100 && kcc_kf_x_us(&kf) < 2000000; i++) {
			s = random_sample(&kf, NOISE_MAX_US);
			before = kf;
			x_us = kcc_kf_x_us(&kf);
			compare_step(&before, &kf, &s, NO_CAP, &real);
			note(&worst, fmax(kf.x_us_q4 / 16.0 - real.x_us, 0), 2,
			     "x %.0f z %.0f noise %.0f us, P %.0f us^2", x_us, s.z_us,
			     s.noise_us, before.p_us2);
		}
	}
	report("update a_path_above_524_ms_moves_x_no_more_than_double", &worst);
}

/* R has no cap: noise above 65.5 ms is noise all the same.  On a 400 ms path with
 * 100 ms of it one sample must not move x by more than it says.
 */
static void long_and_noisy(void)
{
	struct worst worst = {};
	struct kcc_kf kf, before;
	struct real_kf real;
	struct sample s;
	u32 run, i, x_us;

	for (run = 0; run < 20000; run++) {
		kcc_kf_init(&kf, random_size(LONG_RTT_MAX_US));
		for (i = 0; i < 100 && kcc_kf_x_us(&kf) < LONG_RTT_MAX_US; i++) {
			s = random_sample(&kf, LONG_NOISE_MAX_US);
			before = kf;
			x_us = kcc_kf_x_us(&kf);
			compare_step(&before, &kf, &s, CAP_US2, &real);
			note(&worst, fabs(kf.x_us_q4 / 16.0 - real.x_us),
			     2 + nu_max(x_us, s.noise_us) / 65536,
			     "x %.0f z %.0f noise %.0f us, P %.0f us^2", x_us, s.z_us,
			     s.noise_us, before.p_us2);
		}
	}
	report("update long_paths_and_noise_above_65_ms_stay_near_double", &worst);
}

/* --- kcc_fixed.h -------------------------------------------------------------------- */

static long double saturated(long double v)
{
	return v > 4294967295.0L ? 4294967295.0L : v;
}

static void fixed_point(void)
{
	long double exact;
	struct worst quotient = {}, bdp = {}, rate = {}, scale = {};
	u32 i, pkts, us, bw, gain, mss;

	for (i = 0; i < 2000000; i++) {
		pkts = random_size(4294967295U);
		us = random_size(4294967295U);
		exact = saturated(floorl(ldexpl(pkts, KCC_BW_SCALE) / us));
		note(&quotient, fabsl(kcc_fp_bw(pkts, us) - exact), 1,
		     "%.0f packets in %.0f us", pkts, us, 0, 0);

		bw = random_size(4294967295U);
		us = random_size(LONG_RTT_MAX_US);
		gain = random_size(1023);
		exact = saturated(ldexpl((long double)bw * us * gain,
					 -KCC_BW_SCALE - KCC_SCALE));
		/* rounded up below 2^28 packets, down above, where 1 in 2^20 is left */
		note(&bdp, fabsl(kcc_fp_bdp_pkts(bw, us, gain) - exact),
		     1 + exact / (1 << 20), "bw %.0f for %.0f us, gain %.0f", bw, us,
		     gain, 0);

		mss = 536 + random_u32() % (65483 - 536 + 1);
		exact = ldexpl((long double)bw * mss * gain * USEC_PER_SEC,
			       -KCC_BW_SCALE - KCC_SCALE);
		/* half of the scale goes before the factor 10^6: 15.3 bytes/s, and 0.1 */
		note(&rate, fabsl(kcc_fp_bytes_per_sec(bw, mss, gain) - exact), 17,
		     "bw %.0f, mss %.0f, gain %.0f", bw, mss, gain, 0);

		exact = saturated(floorl(ldexpl((long double)bw * gain, -KCC_SCALE)));
		note(&scale, fabsl(kcc_fp_scale(bw, gain) - exact), 1,
		     "%.0f, gain %.0f", bw, gain, 0, 0);
	}
	report("fixed bw_is_the_quotient_rounded_down", &quotient);
	report("fixed bdp_is_the_product_within_a_packet", &bdp);
	report("fixed bytes_per_sec_is_the_product_within_17", &rate);
	report("fixed scale_is_the_product_rounded_down", &scale);
}

int main(void)
{
	printf("KTAP version 1\n1..12\n");
	one_step_of_x();
	one_step_of_p();
	sequences_of_x();
	verdicts();
	capped_p();
	long_and_noisy();
	fixed_point();
	if (case_count != 12)
		printf("Bail out! %u cases instead of 12\n", case_count);
	return failed_count || case_count != 12;
}
