/* SPDX-License-Identifier: GPL-2.0 */
/* Stands in for the kernel's <linux/kernel.h> when kf_reference is compiled:
 * the names that kcc_kf.c and kcc_fixed.h use, with the kernel's semantics.
 */
#ifndef KCC_SHIM_KERNEL_H
#define KCC_SHIM_KERNEL_H

#include <linux/types.h>

#define U16_MAX		((u16)~0U)
#define U32_MAX		((u32)~0U)
#define USEC_PER_SEC	1000000L

#define min_t(type, a, b) ({		\
	type a_ = (a);			\
	type b_ = (b);			\
					\
	a_ < b_ ? a_ : b_;		\
})

#define max_t(type, a, b) ({		\
	type a_ = (a);			\
	type b_ = (b);			\
					\
	a_ > b_ ? a_ : b_;		\
})

#define min(a, b)	min_t(typeof(a), a, b)
#define max(a, b)	max_t(typeof(a), a, b)
#define max3(a, b, c)	max(max(a, b), c)
#define min3(a, b, c)	min(min(a, b), c)
#define clamp_t(type, v, lo, hi) min_t(type, max_t(type, v, lo), hi)

#endif /* KCC_SHIM_KERNEL_H */
