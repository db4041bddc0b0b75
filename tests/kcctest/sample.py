# SPDX-License-Identifier: GPL-2.0
"""Samples of the bottleneck's queue and of every data socket, both ends.

Times count from the first data of the first flow.  Columns of all flows share
one list of times; None means that the flow was not there.
"""

import csv
import socket

from . import netlink

# Per flow, from its sender unless said otherwise.
COLUMNS = ("received_bytes",        # at the receiver, in order
           "cwnd_bytes", "inflight_bytes", "rtt_ms", "min_rtt_ms", "retransmits",
           "sent_segments", "delivered_ce", "pacing_mbit", "bw_mbit", "model_rtt_ms",
           "pacing_gain", "cwnd_gain")


class Sampler:
    """Holds one netlink socket for each namespace that is looked at."""

    def __init__(self, path, connections):
        family = socket.AF_INET if path.scenario.path.ip == 4 else socket.AF_INET6
        self.path = path
        # A server of iperf3 listens on ::, so its sockets are of version 6 always.
        self.queue_reader = netlink.QueueReader(path.ns["B"], "vbr")
        self.receiver = netlink.SocketReader(path.ns["R"], family)
        self.senders = {c.sender: netlink.SocketReader(path.ns[path.senders[c.sender]],
                                                      socket.AF_INET6)
                        for c in connections}
        self.times = []
        self.queue = {"bytes": [], "drops": [], "rate_mbit": [], "rtt_ms": []}
        self.flows = {port: {name: [] for name in COLUMNS}
                      for c in connections for port in c.cports}
        self.last = []
        for reader in [self.queue_reader, self.receiver, *self.senders.values()]:
            path.callback(reader.close)

    def receiving(self):
        """The receiver's data sockets, now."""
        return [s for s in self.receiver.read() if s["local_port"] in self.flows]

    def tick(self, now):
        """Take one sample of everything."""
        self.times.append(round(now, 4))
        self._queue()
        self.last = self.receiving()
        rows = {port: {} for port in self.flows}
        for sock in self.last:
            rows[sock["local_port"]]["received_bytes"] = sock.get("received")
        for reader in self.senders.values():
            for sock in reader.read():
                if sock["remote_port"] in rows and sock.get("mss"):
                    rows[sock["remote_port"]].update(sender_row(sock))
        for port, row in rows.items():
            for name, column in self.flows[port].items():
                column.append(row.get(name))

    def _queue(self):
        state = self.queue_reader.read() or {"backlog": 0, "drops": 0}
        self.queue["bytes"].append(state["backlog"])
        self.queue["drops"].append(state["drops"])
        self.queue["rate_mbit"].append(self.path.rate_mbit)
        self.queue["rtt_ms"].append(self.path.rtt_ms)

    def write(self, folder):
        """The raw samples as two CSV files."""
        with open(f"{folder}/queue.csv", "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["time_s", *self.queue])
            rows.writerows(zip(self.times, *self.queue.values()))
        with open(f"{folder}/flows.csv", "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["time_s", "port", *COLUMNS])
            for port, columns in self.flows.items():
                for values in zip(self.times, *columns.values()):
                    if any(v is not None for v in values[1:]):
                        rows.writerow([values[0], port, *values[1:]])


def sender_row(sock):
    """The columns of a sender's socket."""
    mss = sock["mss"]
    flying = sock["unacked"] - sock["sacked"] - sock["lost"] + sock["retrans_out"]
    row = {"cwnd_bytes": sock["cwnd"] * mss, "inflight_bytes": flying * mss,
           "rtt_ms": round(sock["rtt_us"] / 1000, 3), "retransmits": sock["retrans"],
           "sent_segments": sock.get("segments"), "delivered_ce": sock.get("delivered_ce"),
           "pacing_mbit": round(min(sock["pacing_rate"], 1 << 50) * 8e-6, 3)}
    if sock.get("min_rtt_us", 0xFFFFFFFF) != 0xFFFFFFFF:
        row["min_rtt_ms"] = sock["min_rtt_us"] / 1000
    if "bw" in sock:
        row.update(bw_mbit=round(sock["bw"] * 8e-6, 3),
                   model_rtt_ms=sock["model_rtt_us"] / 1000,
                   pacing_gain=round(sock["pacing_gain"], 3),
                   cwnd_gain=round(sock["cwnd_gain"], 3))
    return row
