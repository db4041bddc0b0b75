// SPDX-License-Identifier: GPL-2.0
/* 5.19, and parts of 5.15.y: accessors of snd_cwnd.
 * Absent: the field is read and written directly.
 */
#include <net/tcp.h>

u32 kcc_probe(struct tcp_sock *tp);
u32 kcc_probe(struct tcp_sock *tp)
{
	tcp_snd_cwnd_set(tp, 4);
	return tcp_snd_cwnd(tp);
}
