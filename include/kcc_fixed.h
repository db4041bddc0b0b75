/* SPDX-License-Identifier: GPL-2.0 */
/* Fixed-point scales of KCC and the few operations on them.
 *
 * Two scales only, as in BBR:
 *  - bandwidth: packets per microsecond << KCC_BW_SCALE.  One step is about
 *    715 bit/s at 1500 bytes a packet, the largest u32 about 3 Tbit/s.
 *  - gains and shares: << KCC_SCALE, so 256 is 1.0 and one step 0.4 %.
 * A name ends in _qN where a value has another format (x_us_q4: 1/16 us).
 */
#ifndef KCC_FIXED_H
#define KCC_FIXED_H

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/types.h>

#define KCC_BW_SCALE	24
#define KCC_BW_UNIT	16777216U /* 1 << KCC_BW_SCALE */
#define KCC_SCALE	8
#define KCC_UNIT	256U	/* 1 << KCC_SCALE */

/**
 * kcc_fp_bdp_pkts() - packets that a rate delivers in a time, rounded up
 * @bw: packets per us << KCC_BW_SCALE
 * @rtt_us: time in us
 * @gain: factor << KCC_SCALE
 *
 * The product is at most 2^32 * 2^32 before the gain, so the scale is taken off
 * first when the gain could push it out of 64 bits.  Rounded up: rounding down
 * would make a small window shrink itself round after round.
 *
 * Return: packets, saturated to u32.
 */
static inline u32 kcc_fp_bdp_pkts(u32 bw, u32 rtt_us, u32 gain)
{
	u64 w = (u64)bw * rtt_us;

	if (w >> 52)
		w = (w >> KCC_BW_SCALE) * gain >> KCC_SCALE;
	else
		w = ((w * gain >> KCC_SCALE) + KCC_BW_UNIT - 1) >> KCC_BW_SCALE;
	return w > U32_MAX ? U32_MAX : (u32)w;
}

/**
 * kcc_fp_bw() - delivery rate from a count and a time
 * @pkts: packets delivered
 * @interval_us: in this many us, more than 0
 *
 * Return: packets per us << KCC_BW_SCALE, saturated to u32.
 */
static inline u32 kcc_fp_bw(u32 pkts, u32 interval_us)
{
	u64 bw = div_u64((u64)pkts << KCC_BW_SCALE, interval_us);

	return bw > U32_MAX ? U32_MAX : (u32)bw;
}

/**
 * kcc_fp_bytes_per_sec() - pacing rate of a bandwidth
 * @bw: packets per us << KCC_BW_SCALE
 * @mss: bytes of a packet
 * @gain: factor << KCC_SCALE, at most 4.0
 *
 * Holds up to 2.9 Tbit/s: 2^32 * 2^16 * 2^10 is 58 bits; after the shift by
 * KCC_SCALE the factor 10^6 needs 20 more, so half of KCC_BW_SCALE goes first.
 *
 * Return: bytes per second.
 */
static inline u64 kcc_fp_bytes_per_sec(u32 bw, u32 mss, u32 gain)
{
	u64 rate = (u64)bw * mss * gain >> KCC_SCALE;

	rate = (rate >> 8) * USEC_PER_SEC;
	return rate >> (KCC_BW_SCALE - 8);
}

/**
 * kcc_fp_kbps() - a bandwidth in kbit/s, as it is remembered
 * @bw: packets per us << KCC_BW_SCALE
 * @mss: bytes of a packet
 *
 * Return: kbit/s, saturated to u32.
 */
static inline u32 kcc_fp_kbps(u32 bw, u32 mss)
{
	u64 kbps = div_u64(kcc_fp_bytes_per_sec(bw, mss, KCC_UNIT), 125);

	return kbps > U32_MAX ? U32_MAX : (u32)kbps;
}

/**
 * kcc_fp_kbps_to_bw() - the way back
 * @kbps: kbit/s
 * @mss: bytes of a packet, more than 0
 *
 * 125 bytes/s a kbit/s, 10^6 us/s: packets per us are kbps / (8000 mss).
 *
 * Return: packets per us << KCC_BW_SCALE, saturated to u32.
 */
static inline u32 kcc_fp_kbps_to_bw(u32 kbps, u32 mss)
{
	u64 bw = div_u64((u64)kbps << KCC_BW_SCALE, mss * 8000);

	return bw > U32_MAX ? U32_MAX : (u32)bw;
}

/**
 * kcc_fp_scale() - a value times a gain
 * @v: value
 * @gain: factor << KCC_SCALE
 *
 * Return: v * gain, saturated to u32.
 */
static inline u32 kcc_fp_scale(u32 v, u32 gain)
{
	u64 r = (u64)v * gain >> KCC_SCALE;

	return r > U32_MAX ? U32_MAX : (u32)r;
}

#endif /* KCC_FIXED_H */
