# SPDX-License-Identifier: GPL-2.0
"""The two netlink dumps a sampler needs: queue statistics and TCP sockets.

`tc -s` and `ss -tin` would do, but a fork for each sample costs more real time
than the packets between two samples do.  Both sockets stay in the namespace in
which they were opened.
"""

import os
import socket
import struct

from .host import inside

NLM_F_DUMP = 0x301          # NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH
NLMSG_ERROR, NLMSG_DONE = 2, 3
RTM_GETQDISC = 38
NETLINK_ROUTE, NETLINK_SOCK_DIAG = 0, 4
SOCK_DIAG_BY_FAMILY = 20
TCA_KIND, TCA_STATS2, TCA_STATS_QUEUE = 1, 7, 3
TC_H_ROOT = 0xFFFFFFFF
DIAG_INFO, DIAG_VEGAS, DIAG_CONG, DIAG_BBR = 2, 3, 4, 16
ESTABLISHED, LISTEN = 1, 10
# Every state in which a data socket can be seen moving bytes.
MOVING = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 11

# Offsets in struct tcp_info (include/uapi/linux/tcp.h); it only ever grows.
TCP_INFO = {
    "ca_state": ("B", 1), "mss": ("I", 16), "unacked": ("I", 24),
    "sacked": ("I", 28), "lost": ("I", 32), "retrans_out": ("I", 36),
    "rtt_us": ("I", 68), "rttvar_us": ("I", 72), "ssthresh": ("I", 76),
    "cwnd": ("I", 80), "retrans": ("I", 100), "pacing_rate": ("Q", 104),
    "received": ("Q", 128), "acked": ("Q", 120), "min_rtt_us": ("I", 148),
    "segments": ("I", 156), "delivery_rate": ("Q", 160), "delivered_ce": ("I", 196),
    "sent": ("Q", 200),
}


class Netlink:
    """One netlink socket in one namespace."""

    def __init__(self, ns, protocol):
        with inside(ns):
            self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        self.socket.bind((0, 0))
        self.sequence = 0

    def close(self):
        """Close the socket."""
        self.socket.close()

    def dump(self, kind, body):
        """Yield the payload of every answer to a dump request."""
        self.sequence += 1
        self.socket.send(struct.pack("=IHHII", 16 + len(body), kind, NLM_F_DUMP,
                                     self.sequence, 0) + body)
        while True:
            data = self.socket.recv(1 << 18)
            at = 0
            while at + 16 <= len(data):
                length, got, _flags, sequence, _pid = struct.unpack_from("=IHHII", data, at)
                if sequence == self.sequence:
                    if got == NLMSG_DONE:
                        return
                    if got == NLMSG_ERROR:
                        code = -struct.unpack_from("=i", data, at + 16)[0]
                        raise OSError(code, f"netlink: {os.strerror(code)}")
                    yield data[at + 16:at + length]
                at += (length + 3) & ~3


def attributes(data, at):
    """{type: payload} of a run of netlink attributes."""
    found = {}
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, at)
        if length < 4:
            break
        found[kind & 0x3FFF] = data[at + 4:at + length]
        at += (length + 3) & ~3
    return found


def ifindex(ns, device):
    """The number of a device inside a namespace."""
    with inside(ns):
        return socket.if_nametoindex(device)


class QueueReader:
    """Statistics of the root queue of one device."""

    def __init__(self, ns, device):
        self.netlink = Netlink(ns, NETLINK_ROUTE)
        self.index = ifindex(ns, device)

    def read(self):
        """{backlog (bytes), packets, drops, overlimits}, or None without a queue."""
        found = None
        for answer in self.netlink.dump(RTM_GETQDISC, struct.pack("=BxxxiIII", 0, 0, 0, 0, 0)):
            _family, index, _handle, parent, _info = struct.unpack_from("=BxxxiIII", answer, 0)
            if index != self.index or parent != TC_H_ROOT:
                continue
            stats = attributes(attributes(answer, 20).get(TCA_STATS2, b""), 0)
            if TCA_STATS_QUEUE in stats:
                packets, backlog, drops, _requeues, over = struct.unpack_from(
                    "=5I", stats[TCA_STATS_QUEUE])
                found = {"backlog": backlog, "packets": packets, "drops": drops,
                         "overlimits": over}
        return found

    def close(self):
        """Close the netlink socket."""
        self.netlink.close()


class SocketReader:
    """TCP sockets of one namespace, with tcp_info and the BBR block."""

    def __init__(self, ns, family=socket.AF_INET):
        self.netlink = Netlink(ns, NETLINK_SOCK_DIAG)
        self.family = family

    def read(self, states=MOVING):
        """A list of dictionaries, one for each socket in one of the states."""
        wanted = 1 << (DIAG_INFO - 1) | 1 << (DIAG_CONG - 1) | 1 << (DIAG_VEGAS - 1)
        body = struct.pack("=BBBxI", self.family, socket.IPPROTO_TCP, wanted, states) + bytes(48)
        return [parse_socket(answer)
                for answer in self.netlink.dump(SOCK_DIAG_BY_FAMILY, body)]

    def listening(self, port):
        """Whether somebody listens on a port of this namespace."""
        return any(s["local_port"] == port for s in self.read(1 << LISTEN))

    def close(self):
        """Close the netlink socket."""
        self.netlink.close()


def parse_socket(answer):
    """One inet_diag_msg with its attributes as a flat dictionary."""
    local, remote = struct.unpack_from(">HH", answer, 4)
    sock = {"state": answer[1], "local_port": local, "remote_port": remote,
            "inode": struct.unpack_from("=I", answer, 68)[0]}
    found = attributes(answer, 72)
    info = found.get(DIAG_INFO, b"")
    for name, (kind, offset) in TCP_INFO.items():
        if offset + struct.calcsize(kind) <= len(info):
            sock[name] = struct.unpack_from("=" + kind, info, offset)[0]
    sock["cc"] = found.get(DIAG_CONG, b"").rstrip(b"\0").decode("ascii", "replace")
    bbr = found.get(DIAG_BBR, b"")
    if len(bbr) >= 20:
        low, high, min_rtt, pacing, window = struct.unpack_from("=5I", bbr)
        sock.update(bw=high << 32 | low, model_rtt_us=min_rtt,
                    pacing_gain=pacing / 256, cwnd_gain=window / 256)
    return sock
