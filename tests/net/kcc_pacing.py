#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Pacing: by the fq qdisc, or by TCP itself under any other.

Sent:  flows over 20 Mbit/s, 40 ms, a buffer of 1 BDP, for some seconds each.
Set:   the sender's qdisc: fq, pfifo_fast or none; SO_MAX_PACING_RATE.
Holds: SO_MAX_PACING_RATE is an upper bound, reached and never passed, and can
       be raised while the flow runs; the qdisc does not matter: the rate is the
       same within 5 %, and losses do not double.
"""

import socket
import sys
from types import SimpleNamespace

import kcclib
from kcclib import host
from kcctest import net, scenario

RATE_MBIT = 20
CAP_MBIT = 5
SO_MAX_PACING_RATE = 47
QDISCS = ("fq", "pfifo_fast", "noqueue")
PATH = {"title": "pacing", "rate_mbit": RATE_MBIT, "rtt_ms": 40, "buffer_bdp": 1,
        "burst_kb": 4}
RETRANSMITTED = 100         # offset of tcpi_total_retrans in struct tcp_info


def topology(stack):
    """The usual path; the sender's qdisc is changed by the cases."""
    stack.enter_context(kcclib.module())
    path = stack.enter_context(net.Path(scenario.parse(PATH, "kcc_pacing"), "kcc"))
    return SimpleNamespace(path=path, payload=path.scenario.payload_share, bulk={})


def set_qdisc(env, kind):
    """Change the sender's root qdisc."""
    env.path.tc("s1", "qdisc", "replace", "dev", "e0", "root", kind)


def start(env, cap_mbit=None):
    """A flow of kcc from the sender to the receiver."""
    with kcclib.listen(env.path.ns["R"], "10.0.4.1") as listener:
        stream = kcclib.Stream(*kcclib.connect(env.path.ns["s1"], listener, "kcc"))
    if cap_mbit:
        set_cap(stream, cap_mbit)
    return stream


def set_cap(stream, mbit):
    """SO_MAX_PACING_RATE, in bytes/s."""
    stream.sender.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, int(mbit * 125_000))


def retransmitted(stream):
    """Segments sent again so far."""
    info = stream.sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    return int.from_bytes(info[RETRANSMITTED:RETRANSMITTED + 4], sys.byteorder)


def bulk(env, kind):
    """(goodput in Mbit/s, retransmissions) of 4 s under a qdisc; run once."""
    if kind not in env.bulk:
        set_qdisc(env, kind)
        stream = start(env)
        kcclib.pump([stream], 1)
        rate = kcclib.goodput_mbit([stream], 3)
        env.bulk[kind] = rate, retransmitted(stream)
        stream.close()
    return env.bulk[kind]


def max_pacing_rate_is_respected(case, env):
    """SO_MAX_PACING_RATE of a quarter of the link, then none, under each qdisc"""
    for kind in QDISCS:
        set_qdisc(env, kind)
        stream = start(env, CAP_MBIT)
        kcclib.pump([stream], 0.5)
        # A window of 2 s begins and ends within a burst.
        case.check(f"{kind}: goodput at a limit of {CAP_MBIT} Mbit/s",
                   kcclib.goodput_mbit([stream], 2), 0.85 * CAP_MBIT, 1.01 * CAP_MBIT, "Mbit/s",
                   timing=True)
        case.equal(f"{kind}: segments sent again", retransmitted(stream), 0)
        set_cap(stream, 1000)
        kcclib.pump([stream], 1.5)
        case.check(f"{kind}: goodput 1.5 s after it was raised", kcclib.goodput_mbit([stream], 1),
                   0.85 * RATE_MBIT * env.payload, RATE_MBIT, "Mbit/s", timing=True)
        stream.close()


def qdisc_does_not_matter(case, env):
    """fq and internal pacing: the same rate, no more loss"""
    rate_fq, lost_fq = bulk(env, "fq")
    case.check("fq: goodput", rate_fq, 0.9 * RATE_MBIT * env.payload, RATE_MBIT, "Mbit/s",
               timing=True)
    for kind in QDISCS[1:]:
        rate, lost = bulk(env, kind)
        case.check(f"{kind}: goodput", rate, 0.95 * rate_fq, 1.05 * rate_fq, "Mbit/s", timing=True)
        # A dozen packets are no doubling.
        case.check(f"{kind}: segments sent again (fq {lost_fq})", lost, 0, 2 * lost_fq + 12)


if __name__ == "__main__":
    host.require_commands("tc")
    sys.exit(kcclib.run([max_pacing_rate_is_respected, qdisc_does_not_matter], topology))
