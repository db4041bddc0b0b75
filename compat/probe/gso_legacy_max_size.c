// SPDX-License-Identifier: GPL-2.0
/* 5.19: GSO_MAX_SIZE grew to 512 KiB, its old value got this name.
 * Absent: GSO_MAX_SIZE is the old value.
 */
#include <net/tcp.h>

int kcc_probe = GSO_LEGACY_MAX_SIZE;
