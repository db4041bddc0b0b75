// SPDX-License-Identifier: GPL-2.0
/* 6.11, and backports: the table of a sysctl handler is const.
 * Absent: it is not.
 */
#include <net/tcp.h>

#include <linux/sysctl.h>

static int kcc_probe_handler(const struct ctl_table *table, int write,
			     void *buffer, size_t *lenp, loff_t *ppos)
{
	return 0;
}

struct ctl_table kcc_probe_table = { .proc_handler = kcc_probe_handler };
