# SPDX-License-Identifier: GPL-2.0
"""Flows: iperf3 -R from the receiver, as the articles measured.

The server, which sends, is in a sender's namespace; the client, which asks and
receives, is in R, and its per-second figures are the goodput.  An algorithm
that the kernel rejected would be measured under the default's name, so what
iperf3 says it really used is compared with what was asked for.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys

from . import host, netlink, transfer

BLOCK = 1 << 20             # bytes per write and read; larger ones wake less often
# A receiver that is woken for each packet costs more real time than the packet.
# In virtual time nothing else changes; see quiet_receivers().
LOW_WATER = 1 << 16
LOW_WATER_MBIT = 20
SYS_PIDFD_OPEN, SYS_PIDFD_GETFD = 434, 438


class FlowError(Exception):
    """A flow failed or did not use the algorithm it was asked to use."""


class Connection:
    """One iperf3 pair, with one or more parallel streams."""

    def __init__(self, flow, cc, sender, port, cport, start_s):
        self.flow = flow
        self.cc = cc
        self.sender = sender            # index into the path's senders
        self.port = port                # of the iperf3 server
        self.cports = list(range(cport, cport + flow.parallel))
        self.start_s = start_s
        self.server = None
        self.client = None
        self.quiet = False

    def serve(self, path, folder):
        """Start the server; it serves this one client and ends."""
        name = path.senders[self.sender]
        with open(f"{folder}/server-{self.port}.json", "w", encoding="utf-8") as out:
            self.server = path.popen(name, ["iperf3", "-s", "-1", "-J", "-p", self.port],
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def lead_s(self, rtt_s):
        """How long passes between the client's start and its first data: 4 RTTs
        of talk and one for each stream (measured with iperf3 3.12)."""
        return (4 + self.flow.parallel) * rtt_s

    def command(self, path):
        """The client's command line."""
        words = ["iperf3", "-J", "-R", "-c", path.sender_address(self.sender),
                 "-p", self.port, "--cport", self.cports[0], "-C", self.cc,
                 "-P", self.flow.parallel, "-t", self.flow.duration_s,
                 "--get-server-output"]
        if self.flow.rate_mbit:
            return words + ["-l", rate_block(self.flow.rate_mbit),
                            "-b", f"{self.flow.rate_mbit * 1e6:.0f}"]
        return words + ["-l", BLOCK]

    def connect(self, path, folder):
        """Start the client."""
        with open(f"{folder}/client-{self.port}.json", "w", encoding="utf-8") as out:
            self.client = path.popen("R", self.command(path),
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def finished(self):
        """Whether both ends have ended, or the client has failed."""
        if self.client is None or self.client.poll() is None:
            return False
        return self.client.returncode != 0 or self.server.poll() is not None

    def results(self, folder):
        """One dictionary for each stream, from what both ends wrote."""
        data = read_json(f"{folder}/client-{self.port}.json", f"iperf3 on port {self.port}")
        return parse_client(data, self.cc, self.cports, self.flow)


class Transfer(Connection):
    """One connection of transfer.py: sized, or with a pattern."""

    def serve(self, path, folder):
        flow = self.flow
        plan = [[s, None, None if m < 0 else m] for s, m in flow.pattern or []] or [
            [None, flow.bytes, flow.rate_mbit]]
        with open(f"{folder}/server-{self.port}.json", "w", encoding="utf-8") as out:
            self.server = path.popen(
                path.senders[self.sender], [sys.executable, transfer.__file__, "serve",
                                            self.port, self.cc, json.dumps(plan)],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def lead_s(self, rtt_s):
        return 2 * rtt_s

    def command(self, path):
        return [sys.executable, transfer.__file__, "fetch", path.sender_address(self.sender),
                self.port, self.cports[0], self.cc]

    def results(self, folder):
        who = f"transfer on port {self.port}"
        got = read_json(f"{folder}/client-{self.port}.json", who)
        sent = read_json(f"{folder}/server-{self.port}.json", who)
        check_algorithm(self.flow, self.cc, sent["cc"])
        return [parse_transfer(got, sent, self.flow, self.cc, self.cports[0])]


def rate_block(mbit):
    """About 5 ms of an application-limited rate, so that it trickles."""
    return int(min(max(mbit * 625, 1448), 1 << 17))


def plan(scenario, cc, rng, groups=None):
    """The connections of a scenario, or of groups of flows on its path.  Ports and
    start times differ from round to round, because virtual time repeats
    everything else."""
    senders = scenario.senders
    port = rng.randrange(5201, 9000)
    cport = rng.randrange(20000, 40000)
    connections = []
    for flow in groups or scenario.flows:
        for number in range(flow.count):
            start = flow.start_s + number * flow.stagger_s
            start += rng.uniform(0, 0.004) if connections else 0
            kind = Transfer if flow.is_transfer else Connection
            connections.append(kind(
                flow, cc if flow.cc == "test" else flow.cc,
                senders.index((flow.rtt_ms, flow.jitter_ms)), port, cport, start))
            port += 1
            cport += flow.parallel
    return connections


def serve_all(path, connections, folder):
    """Start every server and wait until it listens."""
    family = socket.AF_INET6    # servers listen on :: for both versions
    for connection in connections:
        connection.serve(path, folder)
    with contextlib.ExitStack() as readers:
        by_sender = {}
        for connection in connections:
            if connection.sender not in by_sender:
                reader = netlink.SocketReader(
                    path.ns[path.senders[connection.sender]], family)
                readers.callback(reader.close)
                by_sender[connection.sender] = reader
            host.wait_until(lambda c=connection: by_sender[c.sender].listening(c.port),
                            10, f"a server to listen on port {connection.port}")


def read_json(file, who):
    """A JSON file that a tool wrote, or FlowError with what it wrote instead."""
    with open(file, encoding="utf-8", errors="replace") as source:
        text = source.read()
    try:
        return json.loads(text)
    except ValueError:
        raise FlowError(f"{who} wrote no JSON but: {text.strip()[-300:] or 'nothing'} "
                        f"({file})") from None


def check_algorithm(flow, wanted, used):
    """A rejected algorithm must never be reported under the default's figures."""
    if used != wanted:
        raise FlowError(f"flow '{flow.name}' was to use {wanted}, but its sender used {used}: "
                        "is the module loaded, and allowed in this namespace?")


def parse_transfer(got, sent, flow, cc, cport):
    """The two ends of transfer.py as one flat dictionary."""
    length = got["length_s"]
    seconds = [b * 8e-6 for b in got["seconds"]]
    if len(seconds) > 1:
        seconds.pop()       # it is not a whole one
    return {"group": flow.name, "cc": cc, "port": cport,
            "seconds": [round(s, 3) for s in seconds],
            "received_bytes": got["bytes"], "sent_bytes": sent["bytes"], "length_s": length,
            "goodput_mbit": got["bytes"] * 8e-6 / length if length else 0.0,
            "retransmits": sent["retransmits"],
            "completion_s": got["completion_s"] if flow.bytes is not None else None}


def parse_client(data, cc, cports, flow):
    """The streams of one client's JSON as flat dictionaries."""
    who = f"flow '{flow.name}'"
    if data.get("error"):
        raise FlowError(f"{who}: iperf3 says: {data['error']}")
    check_algorithm(flow, cc, data["end"].get("sender_tcp_congestion"))
    server = data.get("server_output_json") or {}
    return [parse_stream(data, server, index, flow, cc, cport)
            for index, cport in enumerate(cports)]


def parse_stream(data, server, index, flow, cc, cport):
    """One stream of a client's JSON."""
    end = data["end"]["streams"][index]
    sent, received = end["sender"], end["receiver"]
    rows = [i["streams"][index] for i in data["intervals"]]
    sender_rows = [i["streams"][index] for i in server.get("intervals", [])]
    # The last interval can be a sliver of a few milliseconds.
    seconds = [r["bits_per_second"] / 1e6 for r in rows if r["seconds"] > 0.5 or len(rows) == 1]
    return {
        "group": flow.name, "cc": cc, "port": cport,
        "seconds": [round(s, 3) for s in seconds],
        "received_bytes": received["bytes"], "sent_bytes": sent["bytes"],
        "length_s": received["seconds"],
        "goodput_mbit": received["bits_per_second"] / 1e6,
        "retransmits": sent.get("retransmits", 0),
        "completion_s": None,
        "sender_cwnd_bytes": [r.get("snd_cwnd") for r in sender_rows],
        "sender_rtt_us": [r.get("rtt") for r in sender_rows],
        "sender_retransmits": [r.get("retransmits") for r in sender_rows],
    }


def quiet_receivers(connection, sockets):
    """Wake a receiver for 64 KiB rather than for each packet.

    Borrows the client's sockets (pidfd_getfd) and sets their low-water mark.
    The kernel acknowledges as before, only the reading process sleeps longer.
    """
    inodes = {s["inode"] for s in sockets if s["local_port"] in connection.cports}
    pid = connection.client.pid
    pidfd = host.syscall(SYS_PIDFD_OPEN, pid, 0)
    try:
        for number in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                link = os.readlink(f"/proc/{pid}/fd/{number}")
                if link.startswith("socket:[") and int(link[8:-1]) in inodes:
                    copy = host.syscall(SYS_PIDFD_GETFD, pidfd, int(number), 0)
                    with socket.socket(fileno=copy) as borrowed:
                        borrowed.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, LOW_WATER)
    finally:
        os.close(pidfd)
    connection.quiet = True
