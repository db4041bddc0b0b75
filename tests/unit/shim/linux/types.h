/* SPDX-License-Identifier: GPL-2.0 */
/* Stands in for the kernel's <linux/types.h> when kf_reference is compiled. */
#ifndef KCC_SHIM_TYPES_H
#define KCC_SHIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

#endif /* KCC_SHIM_TYPES_H */
