/* SPDX-License-Identifier: GPL-2.0 */
/* Stands in for the kernel's <linux/math64.h> when kf_reference is compiled. */
#ifndef KCC_SHIM_MATH64_H
#define KCC_SHIM_MATH64_H

#include <linux/types.h>

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

#endif /* KCC_SHIM_MATH64_H */
