#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Memory across connections: net.kcc.kcc_kf_* and /proc/net/kcc.

Sent:  short flows over 20 Mbit/s, 40 ms, to two addresses of one receiver, from two
       namespaces, and to this host itself.
Set:   every kcc_kf_* key, in namespaces of our own.
Holds: off, nothing is remembered; on, a second flow jumps, to the same destination
       and from the same namespace only; never to this host; scope, age, discount,
       peak, limit and flush do what they say; the entries are for root's eyes; live
       connections are counted whatever becomes of them; a namespace can go away
       under load.
"""

import contextlib
import os
import struct
import socket
import sys
import time
from types import SimpleNamespace

import kcclib
from kcclib import host
from kcctest import net, scenario
from kcctest.transfer import congestion

RATE_MBIT, RTT_MS = 20, 40
PATH = {"title": "memory", "rate_mbit": RATE_MBIT, "rtt_ms": RTT_MS, "buffer_bdp": 2,
        "burst_kb": 12, "flow": [{"name": "one"}, {"name": "two", "rtt_ms": RTT_MS + 1}]}
FIRST, SECOND = "10.0.4.1", "10.0.4.9"
MANY_NET = "10.1.0.0/16"
MANY = int(os.environ.get("KCC_MANY", "1000"))
LEARN_S = 4
FILE = "/proc/net/kcc"


def topology(stack):
    """The path, a second address of its receiver, and a network behind it."""
    stack.enter_context(kcclib.module())
    path = stack.enter_context(net.Path(scenario.parse(PATH, "kcc_seed"), "kcc"))
    path.ip("R", "addr", "add", f"{SECOND}/24", "dev", "e0")
    path.ip("R", "route", "add", "local", MANY_NET, "dev", "lo")
    path.ip("B", "route", "add", MANY_NET, "via", FIRST)
    return SimpleNamespace(path=path, s1=path.ns["s1"], s2=path.ns["s2"], r=path.ns["R"])


def memory(ns):
    """/proc/net/kcc as counters and {address: columns}."""
    with host.inside(ns), open(FILE, encoding="ascii") as file:
        lines = file.read().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("address "))
    names = lines[at].split()
    counters = {name: int(number) for name, number in map(str.split, lines[:at])}
    rows = [dict(zip(names, line.split())) for line in lines[at + 1:]]
    return SimpleNamespace(count=counters, entries={row["address"]: row for row in rows})


def configure(env, ns=None, **keys):
    """Forget everything, then the defaults with seeding on, but for keys."""
    values = {"enable": 1, "steady_mode": 0, "discount": 50, "scope": 0, "max_age": 600,
              "entries": 4096, **keys, "flush": 1}
    for key, value in values.items():
        host.sysctl_set(f"net.kcc.kcc_kf_{key}", value, ns or env.s1)


def sending(env, ns, address=FIRST, receiver=None, size=None):
    """A connection from a namespace."""
    with kcclib.listen(receiver or env.r, address) as listener:
        return kcclib.Stream(*kcclib.connect(ns, listener, "kcc"), size)


def send(env, ns=None, address=FIRST, seconds=1, count=1):
    """Flows for so long; what the namespace remembers before and after."""
    ns = ns or env.s1
    before = memory(ns)
    streams = [sending(env, ns, address) for _ in range(count)]
    kcclib.pump(streams, seconds)
    for stream in streams:
        stream.close()
    after = memory(ns)
    new = {name: number - before.count[name] for name, number in after.count.items()
           if name != "entries" and number != before.count[name]}
    return SimpleNamespace(before=before, after=after, new=new)


def off_remembers_nothing(case, env):
    """by default no entry is made and nothing is counted"""
    configure(env, enable=0)
    sent = send(env, seconds=LEARN_S)
    case.equal("entries", sent.after.entries, {})
    case.equal("outcomes", sent.new, {})


def destination_is_learnt_and_used(case, env):
    """the entry holds rate and RTT of the path; the next flow jumps and is validated"""
    configure(env)
    learnt = send(env, seconds=LEARN_S)
    case.equal("outcomes of the first flow", learnt.new, {})
    entry = learnt.after.entries[FIRST]
    case.check("rate, kbit/s", int(entry["x_kbps"]), 15000, 20000)
    case.check("all together, kbit/s", int(entry["together_kbps"]), 15000, 20000)
    case.check("RTT, us", int(entry["rtt_us"]), 39000, 45000)
    case.equal("live", entry["live"], "0")
    used = send(env)
    case.equal("outcomes of the second", used.new, {"used": 1, "validated": 1})
    case.equal("last", used.after.entries[FIRST]["last"], "validated")
    case.equal("not validated", used.after.entries[FIRST]["jump_kbps"], "0")


def others_are_not_seeded(case, env):
    """not another destination, not another namespace; flush is of one namespace"""
    configure(env)
    configure(env, env.s2)
    send(env, seconds=LEARN_S)
    case.equal("another destination", send(env, address=SECOND).new, {})
    case.equal("another namespace", send(env, env.s2).new, {})
    case.equal("entries of that", list(memory(env.s2).entries), [FIRST])
    host.sysctl_set("net.kcc.kcc_kf_flush", 1, env.s2)
    case.equal("after its flush", memory(env.s2).entries, {})
    case.equal("entries here", sorted(memory(env.s1).entries), [FIRST, SECOND])
    host.sysctl_set("net.kcc.kcc_kf_flush", 1, env.s1)
    case.equal("after flush", memory(env.s1).entries, {})
    case.equal("the next flow", send(env).new, {})


def this_host_is_never_stored(case, env):
    """loopback, and an address of one's own, of both versions"""
    configure(env)
    for address in ("127.0.0.1", "10.0.1.1", "::1", "::ffff:127.0.0.1", "fd00:0:0:1::1"):
        stream = sending(env, env.s1, address, env.s1, 1 << 20)
        kcclib.pump([stream])
        case.equal(f"entries with a flow to {address}", memory(env.s1).entries, {})
        stream.close()
    with contextlib.closing(sending(env, env.s1)):
        case.equal("entries with one that leaves", list(memory(env.s1).entries), [FIRST])


def scope_decides_who_shares(case, env):
    """1: the /24; 2: the namespace"""
    for scope, name in ((1, "10.0.4.0"), (2, "::")):
        configure(env, scope=scope)
        send(env, seconds=LEARN_S)
        case.equal(f"entries of scope {scope}", list(memory(env.s1).entries), [name])
        case.equal("another destination in it",
                   send(env, address=SECOND).new, {"used": 1, "validated": 1})


def scope_may_change_while_connected(case, env):
    """the count of live connections stays right"""
    configure(env)
    stream = sending(env, env.s1)
    host.sysctl_set("net.kcc.kcc_kf_scope", 1, env.s1)
    other = sending(env, env.s1)
    live = {a: e["live"] for a, e in memory(env.s1).entries.items()}
    case.equal("live", live, {FIRST: "1", "10.0.4.0": "1"})
    stream.close()
    other.close()
    live = {a: e["live"] for a, e in memory(env.s1).entries.items()}
    case.equal("live after both", live, {FIRST: "0", "10.0.4.0": "0"})


def age_ends_an_entry(case, env):
    """older than kcc_kf_max_age it is refused"""
    configure(env, max_age=1)
    send(env, seconds=LEARN_S)
    time.sleep(2.5)
    case.equal("outcome", send(env).new, {"refused_old": 1})
    case.equal("forgotten", int(memory(env.s1).entries[FIRST]["peak_kbps"]), 0)


def discount_decides_the_jump(case, env):
    """at 1 % there is nothing to gain"""
    for discount, outcome in ((1, {"refused_no_gain": 1}), (100, {"used": 1, "validated": 1})):
        configure(env, discount=discount)
        send(env, seconds=LEARN_S)
        case.equal(f"outcome at {discount} %", send(env).new, outcome)


def peak_is_used_in_steady_mode(case, env):
    """after four flows had a quarter each, one may have what one had before"""
    outcomes = {}
    for steady in (0, 1):
        configure(env, steady_mode=steady)
        send(env, seconds=LEARN_S)
        entry = send(env, seconds=2 * LEARN_S, count=4).after.entries[FIRST]
        case.check("estimate over peak", int(entry["x_kbps"]) / int(entry["peak_kbps"]), 0.1, 0.5)
        outcomes[steady] = send(env).new
    case.equal("with the estimate", outcomes[0], {"refused_no_gain": 1})
    case.equal("with the peak", outcomes[1], {"used": 1, "validated": 1})


def table_is_bounded(case, env):
    """never more than kcc_kf_entries; lowering it removes at once; flush empties"""
    configure(env, entries=1)
    send(env)
    case.equal("two destinations, one entry", list(send(env, address=SECOND).after.entries),
               [SECOND])
    configure(env, entries=0)
    case.equal("no entries", send(env).after.entries, {})
    configure(env, entries=MANY // 2)
    with kcclib.listen(env.r, "0.0.0.0") as listener:
        port = listener.getsockname()[1]
        for number in range(MANY):
            with kcclib.tcp(env.s1, cc="kcc") as sock:
                sock.settimeout(30)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                sock.connect((f"10.1.{number >> 8 & 255}.{number & 255}", port))
                listener.accept()[0].close()
    case.equal(f"entries of {MANY} destinations", memory(env.s1).count["entries"], MANY // 2)
    case.equal("lines", len(memory(env.s1).entries), MANY // 2)
    host.sysctl_set("net.kcc.kcc_kf_entries", 10, env.s1)
    case.equal("after lowering the limit", len(memory(env.s1).entries), 10)
    host.sysctl_set("net.kcc.kcc_kf_flush", 1, env.s1)
    case.equal("after flush", len(memory(env.s1).entries), 0)


def live_connections_are_counted(case, env):
    """through another algorithm and back, disconnect and reconnect, flush and close"""
    def live():
        return {a: e["live"] for a, e in memory(env.s1).entries.items()}

    configure(env)
    with kcclib.listen(env.r, FIRST) as listener:
        client, accepted = kcclib.connect(env.s1, listener, "kcc")
        case.equal("connected", live(), {FIRST: "1"})
        congestion(client, "reno")
        case.equal("with reno", live(), {FIRST: "0"})
        congestion(client, "kcc")
        case.equal("with kcc again", live(), {FIRST: "1"})
        host.sysctl_set("net.kcc.kcc_kf_flush", 1, env.s1)
        case.equal("flushed", live(), {FIRST: "1"})
        accepted.close()
        kcclib.disconnect(client)
        case.equal("disconnected", live(), {FIRST: "0"})
        client.connect(listener.getsockname())
        case.equal("connected again", live(), {FIRST: "1"})
        listener.accept()[0].close()
        kcclib.disconnect(client)
        client.close()
    case.equal("closed", live(), {FIRST: "0"})


def only_the_owner_reads(case, env):
    """mode 0400 of the root of the user namespace that owns the file's namespace"""
    with host.inside(env.s1):
        state = os.stat(FILE)
        case.equal("mode, owner", (f"{state.st_mode & 0o777:o}", state.st_uid), ("400", 0))
        case.equal("as nobody", kcclib.as_nobody(lambda: open(FILE, "rb").close()), "EACCES")


def namespace_goes_under_load(case, env):
    """flows are running and somebody reads while it is deleted"""
    with net.Namespaces() as spaces:
        spaces.add("c", "s")
        spaces.link("c", "e0", "s", "e0", 1)
        # virtual time stands still on a link without a rate
        spaces.tc("c", "qdisc", "add", "dev", "e0", "root", "netem", "rate", "20mbit",
                  "delay", "5ms")
        for name in ("c", "s"):
            configure(env, spaces.ns[name])
        with kcclib.listen(spaces.ns["s"], "10.0.1.2") as listener:
            streams = [kcclib.Stream(*kcclib.connect(spaces.ns["c"], listener, "kcc"))
                       for _ in range(8)]
        kcclib.pump(streams, 0.5)
        case.equal("entries", list(memory(spaces.ns["c"]).entries), ["10.0.1.2"])
    kcclib.pump(streams, 0.5)
    for stream in streams:
        stream.close()
    case.equal("a flow elsewhere still works", send(env).after.count["entries"], 1)


if __name__ == "__main__":
    sys.exit(kcclib.run([off_remembers_nothing, destination_is_learnt_and_used,
                         others_are_not_seeded, this_host_is_never_stored,
                         scope_decides_who_shares, scope_may_change_while_connected,
                         age_ends_an_entry, discount_decides_the_jump,
                         peak_is_used_in_steady_mode, table_is_bounded,
                         live_connections_are_counted, only_the_owner_reads,
                         namespace_goes_under_load], topology))
