#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What a person sees of kcc at work: ss -tin and the tracepoints.

Sent:  one flow over 20 Mbit/s, 40 ms, a buffer of 2 BDP, for 6 s.
Set:   a trace instance of our own with the events of kcc.
Holds: ss names the algorithm, and shows bandwidth and RTT within 20 % of the
       path's, and gains in their range; kcc:kcc_state tells the transitions from
       STARTUP to the second CRUISE, in their order; kcc:kcc_round tells the model
       about once per RTT.
"""

import os
import re
import sys
import time
from types import SimpleNamespace

import kcclib
from kcclib import host
from kcctest import net, scenario

RATE_MBIT = 20
RTT_MS = 40
SECONDS = 6
PATH = {"title": "what kcc shows", "rate_mbit": RATE_MBIT, "rtt_ms": RTT_MS, "buffer_bdp": 2,
        "burst_kb": 12}
TRACING = ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")
EVENTS = ("kcc_state", "kcc_round")
# From the handshake to the end of the first probe.
TRANSITIONS = ["STARTUP", "DRAIN", "CRUISE", "UP", "DOWN", "CRUISE"]
UNITS = {"": 1e-6, "K": 1e-3, "M": 1, "G": 1e3}


class Trace:
    """A trace instance with the events of kcc switched on."""

    def __init__(self, stack):
        self.root = next((t for t in TRACING if os.path.isdir(f"{t}/events")), None)
        if not self.root:
            raise host.SetupError("there is no tracefs: mount -t tracefs tracefs "
                                  "/sys/kernel/tracing (the kernel needs CONFIG_FTRACE)")
        self.missing = [e for e in EVENTS if not os.path.isdir(f"{self.root}/events/kcc/{e}")]
        self.folder = f"{self.root}/instances/kcc{os.getpid()}"
        if self.missing:
            return
        os.mkdir(self.folder)
        stack.callback(os.rmdir, self.folder)
        self._enable(1)
        stack.callback(self._enable, 0)

    def _enable(self, value):
        kcclib.write_file(f"{self.folder}/events/kcc/enable", f"{value}")

    def rows(self, event, port):
        """The fields of an event, one dictionary for each time it fired on a port."""
        with open(f"{self.folder}/trace", encoding="ascii") as file:
            lines = [line for line in file if f" {event}: " in line]
        rows = [dict(re.findall(r"(\w+)=(\S+)", line)) for line in lines]
        return [row for row in rows if row.get("sport") == str(port)]


def topology(stack):
    """Send for 6 s, with a look through ss in each of the last four."""
    stack.enter_context(kcclib.module())
    trace = Trace(stack)
    path = stack.enter_context(net.Path(scenario.parse(PATH, "kcc_info"), "kcc"))
    begun = time.monotonic()
    with kcclib.listen(path.ns["R"], "10.0.4.1") as listener:
        stream = kcclib.Stream(*kcclib.connect(path.ns["s1"], listener, "kcc"))
    port = stream.sender.getsockname()[1]
    kcclib.pump([stream], 2)
    seen = []
    while len(seen) < SECONDS - 2:
        kcclib.pump([stream], 1)
        with host.inside(path.ns["s1"]):
            seen.append(host.run("ss", "-tin", "sport", "=", f":{port}"))
    duration_s = time.monotonic() - begun
    stream.close()
    return SimpleNamespace(trace=trace, port=port, seen=seen, duration_s=duration_s,
                           payload_mbit=RATE_MBIT * path.scenario.payload_share)


def within(case, name, measured, wanted, unit):
    """Within 20 % of what it has to be."""
    case.check(name, measured, 0.8 * wanted, 1.2 * wanted, unit, timing=True)


def ss_shows_the_model(case, env):
    """ss -tin: kcc, and bw, mrtt, pacing_gain, cwnd_gain in the block of BBR"""
    case.note(env.seen[-1])
    for number, text in enumerate(env.seen, 3):
        words = text.split()
        block = re.search(r"bbr:\(bw:([0-9.]+)([KMG]?)bps,mrtt:([0-9.]+),"
                          r"pacing_gain:([0-9.]+),cwnd_gain:([0-9.]+)\)", text)
        if not case.true(f"second {number}: kcc and its block are there",
                         block and "kcc" in words):
            continue
        bw_mbit = float(block[1]) * UNITS[block[2]]
        within(case, f"second {number}: bw", bw_mbit, env.payload_mbit, "Mbit/s")
        within(case, f"second {number}: mrtt", float(block[3]), RTT_MS, "ms")
        case.check(f"second {number}: pacing_gain", float(block[4]), 0.75, 1.25)
        case.check(f"second {number}: cwnd_gain", float(block[5]), 0.5, 2)


def tracepoints_exist(case, env):
    """kcc:kcc_state and kcc:kcc_round are in tracefs, with their fields"""
    case.equal("missing events", env.trace.missing, [])
    for event, fields in (("kcc_state", "sport dport from to why"),
                          ("kcc_round", "sport dport state bw_kbps min_us cwnd gain lost")):
        with open(f"{env.trace.root}/events/kcc/{event}/format", encoding="ascii") as file:
            text = file.read()
        absent = [f for f in fields.split() if not re.search(rf"field:.* {f};", text)]
        case.equal(f"{event}: missing fields", absent, [])


def states_follow_in_order(case, env):
    """kcc_state: STARTUP -> DRAIN -> CRUISE -> UP -> DOWN -> CRUISE"""
    rows = env.trace.rows("kcc_state", env.port)
    for row in rows:
        case.note(" ".join(f"{key}={value}" for key, value in row.items()))
    chain = [rows[0]["from"]] if rows else []
    chain += [row["to"] for row in rows]
    # A start that left on a delay which its drain did not remove may go on, once.
    if [row["why"] for row in rows[2:3]] == ["delay_not_ours"]:
        chain = chain[3:]
    case.equal("first states", chain[:len(TRANSITIONS)], TRANSITIONS)
    broken = [row for last, row in zip(rows, rows[1:]) if last["to"] != row["from"]]
    case.equal("transitions that do not begin where the last one ended", broken, [])


def rounds_tell_the_model(case, env):
    """kcc_round: once per RTT, with bandwidth and RTT near the path's"""
    rows = env.trace.rows("kcc_round", env.port)
    # A queue makes rounds longer, nothing makes them shorter.
    most = env.duration_s * 1000 / RTT_MS
    case.check("rounds", len(rows), 0.5 * most, 1.05 * most)
    if rows:
        within(case, "bw_kbps of the last round", int(rows[-1]["bw_kbps"]) / 1000,
               env.payload_mbit, "Mbit/s")
        within(case, "min_us of the last round", int(rows[-1]["min_us"]) / 1000, RTT_MS, "ms")


if __name__ == "__main__":
    sys.exit(kcclib.run([ss_shows_the_model, tracepoints_exist, states_follow_in_order,
                         rounds_tell_the_model], topology))
