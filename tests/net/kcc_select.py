#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Ways to choose kcc: namespace, socket, route, and changing one's mind.

    c ---- e0: 40 Mbit/s, 1 % loss, ACKs 20 ms ---- s    networks 1
      `--- e1: nothing in between ------------------'    and 2

Sent:  1 MB over IPv4 and IPv6, hashed at both ends; 8 streams during the change
       of algorithm every 100 ms.
Set:   the default algorithm of namespace c (in the lab also of the first one),
       routes with congctl, TCP_CONGESTION by root and by nobody.
Holds: the socket uses what was chosen, and only that one; data arrives intact;
       the link is used again afterwards; no state survives a disconnect.
"""

import socket
import sys
import time
from types import SimpleNamespace

import kcclib
from kcclib import congestion, host
from kcctest import net, netlink

SIZE = 1_000_000
LINK_MBIT = 40
STREAMS = 8
SWITCH_S = 0.1
SWITCHES = 30
# kcc on the first route, whatever is set on the second, kcc by force on the third
ROUTES = {"kcc": ["congctl", "kcc"], "other": [], "locked": ["congctl", "lock", "kcc"]}


def topology(stack):
    """The two namespaces; both have reno as their default."""
    stack.enter_context(kcclib.module())
    spaces = stack.enter_context(net.Namespaces())
    spaces.add("c", "s")
    spaces.link("c", "e0", "s", "e0", 1)
    spaces.link("c", "e1", "s", "e1", 2)
    spaces.tc("c", "qdisc", "add", "dev", "e0", "root", "netem",
              "rate", f"{LINK_MBIT}mbit", "loss", "1%", "limit", 300)
    spaces.tc("s", "qdisc", "add", "dev", "e0", "root", "netem",
              "delay", "20ms", "limit", 10000)
    for name in ("c", "s"):
        spaces.sysctl(name, kcclib.DEFAULT_KEY, "reno")
        spaces.sysctl(name, "net.ipv4.tcp_no_metrics_save", 1)
    return SimpleNamespace(spaces=spaces, c=spaces.ns["c"], s=spaces.ns["s"])


def used_by_new_socket(env, address="10.0.2.2", cc=None):
    """The algorithms of a fresh client and of the socket that accepts it."""
    with kcclib.listen(env.s, address) as listener:
        one, two = kcclib.connect(env.c, listener, cc)
    with one, two:
        return congestion(one), congestion(two)


def seen_from_outside(ns, sock):
    """What inet_diag says of a socket, as ss asks it."""
    reader = netlink.SocketReader(ns, sock.family)
    port = sock.getsockname()[1]
    found = [s for s in reader.read() if s["local_port"] == port]
    reader.close()
    return found[0] if len(found) == 1 else {}


def sysctl_chooses(case, env):
    """the default of a namespace holds for its new sockets only"""
    with kcclib.tcp(env.c) as old:
        env.spaces.sysctl("c", kcclib.DEFAULT_KEY, "kcc")
        case.equal("a socket from before", congestion(old), "reno")
    case.equal("a new client, and its server elsewhere", used_by_new_socket(env), ("kcc", "reno"))
    case.equal("default of another namespace",
               host.sysctl_get(kcclib.DEFAULT_KEY, env.s), "reno")
    env.spaces.sysctl("c", kcclib.DEFAULT_KEY, "reno")
    case.equal("a new client after the change back", used_by_new_socket(env)[0], "reno")


def namespace_inherits_at_creation(case, env):
    """a new namespace starts with the first one's default, an old one keeps its own"""
    default = host.sysctl_get(kcclib.DEFAULT_KEY)
    wanted = "kcc" if kcclib.LAB else default
    with net.Namespaces() as heirs:
        if kcclib.LAB:      # elsewhere the host's own default is left alone
            host.sysctl_set(kcclib.DEFAULT_KEY, wanted)
        try:
            heirs.add("heir")
            case.equal("an older namespace", host.sysctl_get(kcclib.DEFAULT_KEY, env.c), "reno")
        finally:
            if kcclib.LAB:
                host.sysctl_set(kcclib.DEFAULT_KEY, default)
        heir = heirs.ns["heir"]
        case.equal("the heir", host.sysctl_get(kcclib.DEFAULT_KEY, heir), wanted)
        heirs.sysctl("heir", kcclib.DEFAULT_KEY, "reno")
        case.equal("the first namespace after the heir has changed its mind",
                   host.sysctl_get(kcclib.DEFAULT_KEY), default)


def nobody_may_choose(case, env):
    """setsockopt by a user without any privilege (TCP_CONG_NON_RESTRICTED)"""
    allowed = host.sysctl_get("net.ipv4.tcp_allowed_congestion_control", env.c) or ""
    case.true("kcc is in tcp_allowed_congestion_control", "kcc" in allowed.split(), allowed)
    with kcclib.tcp(env.c) as sock:
        case.equal("setsockopt as nobody", kcclib.as_nobody(congestion, sock, "kcc"), "ok")
        case.equal("the socket uses", congestion(sock), "kcc")
    case.equal("a client with kcc of its own", used_by_new_socket(env, cc="kcc"), ("kcc", "reno"))


def route_chooses(case, env):
    """ip route ... congctl kcc, for IPv4 and IPv6, and not for other routes"""
    gateways = {4: "10.0.2.2", 6: "fd00:0:0:2::2"}
    for version, gateway in gateways.items():
        for number, (name, words) in enumerate(ROUTES.items()):
            far = f"10.9.{number}.1" if version == 4 else f"fd00:9:{number}::1"
            bits = 32 if version == 4 else 128
            env.spaces.ip("s", "addr", "add", f"{far}/{bits}", "dev", "lo",
                          *(["nodad"] if version == 6 else []))
            env.spaces.ip("c", "route", "add", f"{far}/{bits}", "via", gateway, *words)
            case.equal(f"IPv{version}, {name} route", used_by_new_socket(env, far)[0],
                       "reno" if name == "other" else "kcc")
            with kcclib.listen(env.s, far) as listener:
                one, two = kcclib.connect(env.c, listener)
            with one, two:
                case.equal(f"IPv{version}, {name} route: setsockopt reno",
                           kcclib.outcome(congestion, one, "reno"),
                           "EPERM" if name == "locked" else "ok")


def accepted_sockets_inherit(case, env):
    """a listener passes its algorithm on, and its namespace's default does not matter"""
    with kcclib.listen(env.s, "10.0.2.2", "kcc") as listener:
        pairs = [kcclib.connect(env.c, listener) for _ in range(3)]
        congestion(listener, "reno")
        pairs.append(kcclib.connect(env.c, listener))
    case.equal("accepted from a kcc listener, the last after it became reno",
               [congestion(two) for _, two in pairs], ["kcc", "kcc", "kcc", "reno"])
    case.equal("their clients", {congestion(one) for one, _ in pairs}, {"reno"})
    for one, two in pairs:
        one.close()
        two.close()


def transfer(case, env, address, from_server):
    """One transfer; the sending side uses kcc, the other reno."""
    what = f"{address}, sent by the {'server' if from_server else 'client'}"
    with kcclib.listen(env.s, address, "kcc" if from_server else None) as listener:
        one, two = kcclib.connect(env.c, listener, None if from_server else "kcc")
    sender, receiver, ns = (two, one, env.s) if from_server else (one, two, env.c)
    stream = kcclib.Stream(sender, receiver, SIZE)
    kcclib.pump([stream], 0.3)
    row = seen_from_outside(ns, sender)
    case.equal(f"{what}: algorithms", (row.get("cc"), congestion(receiver)), ("kcc", "reno"))
    case.check(f"{what}: kcc's own bandwidth", row.get("bw", 0), 1, unit="bytes/s")
    kcclib.pump([stream])
    case.true(f"{what}: {SIZE} bytes intact", stream.is_intact())
    stream.close()


def transfers_are_intact(case, env):
    """IPv4 and IPv6, both directions, with loss on the way there"""
    for address in ("10.0.1.2", "fd00:0:0:1::2"):
        for from_server in (False, True):
            transfer(case, env, address, from_server)


def switching_live_sockets_is_safe(case, env):
    """kcc and cubic in turn every 100 ms, then the link is used as ever"""
    with kcclib.listen(env.s, "10.0.1.2") as listener:
        streams = [kcclib.Stream(*kcclib.connect(env.c, listener, "kcc"))
                   for _ in range(STREAMS)]
    host.require_algorithm("cubic")
    for number in range(SWITCHES):
        kcclib.pump(streams, SWITCH_S)
        for index, stream in enumerate(streams):
            congestion(stream.sender, "kcc" if (number + index) % 2 else "cubic")
    for stream in streams:
        congestion(stream.sender, "kcc")
    kcclib.pump(streams, 2)
    case.equal("algorithms", {congestion(s.sender) for s in streams}, {"kcc"})
    # 80 % of the link's payload; a fresh kcc has had 2 s to find it.
    case.check("goodput afterwards", kcclib.goodput_mbit(streams, 3),
               0.8 * LINK_MBIT * 1448 / 1514, LINK_MBIT, "Mbit/s", timing=True)
    for stream in streams:
        stream.finish()
    kcclib.pump(streams)
    case.equal("intact streams", sum(s.is_intact() for s in streams), STREAMS)
    for stream in streams:
        stream.close()


def disconnected_socket_starts_anew(case, env):
    """connect, transfer, connect(AF_UNSPEC), again with the same socket"""
    client = kcclib.tcp(env.c, cc="kcc")
    for number in range(4):
        with kcclib.listen(env.s, "10.0.1.2") as listener:
            client.settimeout(30)
            client.connect(listener.getsockname())
            receiver = listener.accept()[0]
        row = seen_from_outside(env.c, client)
        case.equal(f"connection {number + 1}: algorithm and bandwidth so far",
                   (row.get("cc"), row.get("bw")), ("kcc", 0))
        if number == 2:     # also with a change of algorithm in between
            congestion(client, "cubic")
            congestion(client, "kcc")
        stream = kcclib.Stream(client, receiver)
        kcclib.pump([stream], 0.4)
        case.check("bandwidth found", seen_from_outside(env.c, client).get("bw", 0), 1)
        receiver.close()
        time.sleep(0.05)
        kcclib.disconnect(client)
    client.close()


if __name__ == "__main__":
    socket.setdefaulttimeout(30)
    sys.exit(kcclib.run([sysctl_chooses, namespace_inherits_at_creation, nobody_may_choose,
                         route_chooses, accepted_sockets_inherit, transfers_are_intact,
                         switching_live_sockets_is_safe, disconnected_socket_starts_anew],
                        topology))
