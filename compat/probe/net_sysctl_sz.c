// SPDX-License-Identifier: GPL-2.0
/* 6.6: register_net_sysctl_sz(), and tables without an empty last entry.
 * Absent: register_net_sysctl() with the empty entry.
 */
#include <net/tcp.h>

#include <linux/sysctl.h>

struct ctl_table_header *kcc_probe(struct net *net, struct ctl_table *table);
struct ctl_table_header *kcc_probe(struct net *net, struct ctl_table *table)
{
	return register_net_sysctl_sz(net, "net/kcc", table, 1);
}
