# SPDX-License-Identifier: GPL-2.0
"""Namespaces and the emulated path.

    s1 --.                                  (s2, s3 ...: senders with an RTT or
          A ----------- B ----------- R      a jitter of their own)
    s2 --'  vab     vba   vbr      e0
       a1, a2

    data   ->  e0 of a sender: fq      vab: netem (loss, jitter, reordering),
               only if asked for       vbr: tbf, the bottleneck
    ACKs   <-  a1, a2 ...: netem with the whole RTT, so that the delay line
               never holds data and never limits it

Offloads are off on every link, so that queues count real packets.  Nothing
outside the namespaces is changed (in a machine of the lab: tcp_mem is).
"""

import contextlib
import os
import secrets
import time

from . import host
from .host import run

NETEM_LIMIT = 1_000_000     # packets; the default of 1000 would be the bottleneck
MIN_WINDOW_LIMIT = 1 << 28
MAX_WINDOW_LIMIT = (1 << 31) - 1
PREFIX = "kcc"


class Namespaces(contextlib.ExitStack):
    """Namespaces with random names, and the undo list of all that is set up.

    Whatever is begun here is undone in reverse order when the with block is
    left, also by an error or ^C.  Selftests build odd topologies from this;
    Path below builds the usual one.
    """

    def __init__(self):
        super().__init__()
        self.tag = f"{PREFIX}{os.getpid()}{secrets.token_hex(2)}"
        self.ns = {}

    def add(self, *names):
        """Create namespaces; self.ns[name] is what ip calls them."""
        for name in names:
            full = f"{self.tag}-{name}"
            run("ip", "netns", "add", full)
            self.callback(self._delete, full)
            self.ns[name] = full
            run("ip", "-n", full, "link", "set", "lo", "up")

    @staticmethod
    def _delete(full):
        run("ip", "netns", "del", full, ok_codes=(0, 1))

    def link(self, one, device_one, two, device_two, net, mtu=1500):
        """A veth pair between two namespaces, addressed from a small number:
        10.NET.1 and .2, fd00:0:NET::1 and ::2, offloads off."""
        mac = f"02:00:00:00:{net:02x}:{{:02x}}"
        run("ip", "link", "add", device_one, "netns", self.ns[one], "mtu", mtu,
            "address", mac.format(1), "type", "veth", "peer", "name", device_two,
            "netns", self.ns[two], "mtu", mtu, "address", mac.format(2))
        for end, device, number in ((one, device_one, 1), (two, device_two, 2)):
            self.ip(end, "addr", "add", f"10.0.{net}.{number}/24", "dev", device)
            self.ip(end, "addr", "add", f"fd00:0:0:{net}::{number}/64", "dev", device, "nodad")
            self.ip(end, "link", "set", device, "up")
            # Questions for neighbours would wait in the delay line like ACKs.
            other = 3 - number
            for address in (f"10.0.{net}.{other}", f"fd00:0:0:{net}::{other}"):
                self.ip(end, "neigh", "replace", address, "lladdr", mac.format(other),
                        "dev", device, "nud", "permanent")
            with host.inside(self.ns[end]):
                run("ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off")

    def ip(self, name, *words):
        """Run ip in a namespace."""
        return run("ip", "-n", self.ns[name], *words)

    def tc(self, name, *words):
        """Run tc in a namespace."""
        return run("tc", "-n", self.ns[name], *words)

    def sysctl(self, name, key, value, optional=False):
        """Set a sysctl in a namespace."""
        host.sysctl_set(key, value, self.ns[name], optional)

    def popen(self, name, command, **keywords):
        """Start a command in a namespace; it ends with the topology."""
        process = host.popen(self.ns[name], command, **keywords)
        self.callback(host.end_process, process)
        return process


def pin_sysctls(spaces, name, window_limit, path):
    """Every setting of TCP that could change a result, in one place, at the
    kernel's defaults, so that a tuned host measures what the lab measures."""
    pinned = {
        "tcp_rmem": f"4096 {path.receiver_start_bytes or 131072} {window_limit}",
        "tcp_wmem": f"4096 16384 {window_limit}",
        "tcp_ecn": 1 if path.ecn else 0, "tcp_timestamps": int(path.timestamps),
        "tcp_sack": int(path.sack), "tcp_dsack": 1, "tcp_window_scaling": 1,
        "tcp_no_metrics_save": 1, "tcp_slow_start_after_idle": 1, "tcp_mtu_probing": 0,
        "tcp_fastopen": 0, "tcp_recovery": 1, "tcp_reordering": 3, "tcp_max_reordering": 300,
        "tcp_frto": 2, "tcp_early_retrans": 3, "tcp_moderate_rcvbuf": 1,
        "tcp_adv_win_scale": 1, "tcp_app_win": 31, "tcp_notsent_lowat": 4294967295,
        "tcp_autocorking": 1, "tcp_thin_linear_timeouts": 0, "tcp_retries2": 15,
        "tcp_limit_output_bytes": 4194304, "tcp_min_tso_segs": 2, "tcp_tso_win_divisor": 3,
        "tcp_pacing_ss_ratio": 200, "tcp_pacing_ca_ratio": 120,
        # Flows name theirs; reno is the one that every namespace may have.
        "tcp_congestion_control": "reno",
    }
    for key, value in pinned.items():
        spaces.sysctl(name, f"net.ipv4.{key}", value, optional=True)


class Path(Namespaces):
    """The path of a scenario.  Attributes change with its events."""

    def __init__(self, scenario, under_test="cubic"):
        super().__init__()
        self.scenario = scenario
        self.under_test = under_test
        path = scenario.path
        self.rate_mbit = path.policer_mbit if not scenario.has_shaper else scenario.rate_mbit
        self.limit_bytes = scenario.limit_bytes
        self.rtt_ms = scenario.rtt_ms
        self.jitter_ms = path.jitter_ms or 0
        self.loss_pct = scenario.loss_pct
        self.receiver_window_bytes = path.receiver_window_bytes
        self.blackout = False
        self.undo = {}

    def __enter__(self):
        super().__enter__()
        try:
            self._build()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    # ---- building ----------------------------------------------------------

    def _build(self):
        host.require_root()
        host.require_commands("ip", "tc", "ethtool", "iperf3")
        scenario, mtu = self.scenario, self.scenario.path.mtu
        self.senders = [f"s{i + 1}" for i in range(len(scenario.senders))]
        self.add(*self.senders, "A", "B", "R")
        for i, sender in enumerate(self.senders):
            self.link(sender, "e0", "A", f"a{i + 1}", self.sender_net(i), mtu)
        self.link("A", "vab", "B", "vba", 3, mtu)
        self.link("R", "e0", "B", "vbr", 4, mtu)
        self._routes()
        for name in self.senders + ["R"]:
            pin_sysctls(self, name, self._window_limit(), scenario.path)
        self._raise_tcp_mem()
        for name in self.senders:
            self._sender_qdisc(name)
            self.kcc_sysctls(name, scenario.sysctl)
        self._receiver_window()
        self._ack_path("add")
        if self._impaired():
            self._data_path("add")
        self._bottleneck("add")

    @staticmethod
    def sender_net(i):
        """s1 and s2 have networks 1 and 2; 3 and 4 are the path's own."""
        return i + 1 if i < 2 else i + 3

    def _routes(self):
        for i, sender in enumerate(self.senders):
            net = self.sender_net(i)
            for via, far in ((f"10.0.{net}.2", "0.0.0.0/0"), (f"fd00:0:0:{net}::2", "::/0")):
                self.ip(sender, "route", "add", far, "via", via)
            for net_of, via in ((f"10.0.{net}.0/24", "10.0.3.1"),
                                (f"fd00:0:0:{net}::/64", "fd00:0:0:3::1")):
                self.ip("B", "route", "add", net_of, "via", via)
        for name, net in (("A", "3"), ("R", "4")):
            self.ip(name, "route", "add", "default", "via", f"10.0.{net}.2")
            self.ip(name, "route", "add", "::/0", "via", f"fd00:0:0:{net}::2")
        for name in ("A", "B"):
            self.sysctl(name, "net.ipv4.ip_forward", 1)
            self.sysctl(name, "net.ipv6.conf.all.forwarding", 1, optional=True)

    def sender_address(self, index):
        """The address at which a sender's iperf3 server is reached."""
        net = self.sender_net(index)
        return f"10.0.{net}.1" if self.scenario.path.ip == 4 else f"fd00:0:0:{net}::1"

    def _window_limit(self):
        """Buffers must never be what limits a flow: several BDP of memory, and
        a packet's memory is about twice its payload."""
        changes = self.scenario.events + self.scenario.warmups
        rates = [self.scenario.rate_mbit] + [c.rate_mbit or 0 for c in changes]
        rtts = [self.scenario.rtt_ms] + [c.rtt_ms or 0 for c in changes]
        rtts += [f.rtt_ms or 0 for f in self.scenario.flows]
        most = max(rates) * max(rtts) * 125 + self.limit_bytes
        return int(min(max(8 * most, MIN_WINDOW_LIMIT), MAX_WINDOW_LIMIT))

    def _raise_tcp_mem(self):
        """tcp_mem is of the whole host: only touched where the host is ours."""
        if os.environ.get("KCC_MACHINE"):
            host.sysctl_set("net.ipv4.tcp_mem", "1000000 2000000 4000000", optional=True)

    def _sender_qdisc(self, name):
        kind = self.scenario.path.sender_qdisc
        if kind == "fq":
            self.tc(name, "qdisc", "add", "dev", "e0", "root", "fq",
                    "limit", 100000, "flow_limit", 90000)
        elif kind == "pfifo_fast":
            self.tc(name, "qdisc", "add", "dev", "e0", "root", "pfifo_fast")

    def kcc_sysctls(self, name, settings):
        """Settings of a sender; KCC's own only when KCC is what is tested."""
        for key, value in settings.items():
            if not key.startswith("net.kcc.") or self.under_test.startswith("kcc"):
                self.sysctl(name, key, value)

    def _receiver_window(self):
        """About half of tcp_rmem is offered; 0.63 on kernels that measure it."""
        size = self.receiver_window_bytes
        if size:
            self.sysctl("R", "net.ipv4.tcp_rmem",
                        f"4096 {min(131072, 2 * size)} {2 * size}")

    # ---- the three queues that make the path -------------------------------

    def _impaired(self):
        path = self.scenario.path
        return bool(self.loss_pct or path.data_delay_ms or path.data_jitter_ms
                    or path.reorder_pct or path.duplicate_pct
                    or any(e.loss_pct or e.blackout for e in self.scenario.events))

    def _ack_path(self, verb):
        """Traps: a FIFO under netem does not keep order, a rate does; without
        it jitter lets late ACKs be overtaken, which flatters everybody."""
        path = self.scenario.path
        for i, (rtt_ms, jitter_ms) in enumerate(self.scenario.senders):
            rtt = self.rtt_ms if rtt_ms is None else rtt_ms
            jitter = self.jitter_ms if jitter_ms is None else jitter_ms
            words = ["delay", f"{(rtt - path.data_delay_ms) * 1000:.0f}us"]
            if jitter:
                words += [f"{jitter * 1000:.0f}us", "distribution", "normal", "rate", "1gbit"]
            if path.ack_slot_ms:
                low, high = path.ack_slot_ms
                words += ["slot", f"{low * 1000:.0f}us", f"{high * 1000:.0f}us"]
            if self.blackout:
                words += ["loss", "100%"]
            self.tc("A", "qdisc", verb, "dev", f"a{i + 1}", "root", "handle", "1:",
                    "netem", *words, "limit", NETEM_LIMIT)

    def _data_path(self, verb):
        path = self.scenario.path
        words = []
        if path.data_delay_ms or path.data_jitter_ms:
            words += ["delay", f"{path.data_delay_ms * 1000:.0f}us"]
        if path.data_jitter_ms:
            words += [f"{path.data_jitter_ms * 1000:.0f}us", "distribution", "normal",
                      "rate", "1gbit" if self.scenario.rate_mbit < 900 else "100gbit"]
        if path.reorder_pct:
            words += ["reorder", f"{path.reorder_pct}%", f"{path.reorder_correlation_pct}%"]
        if path.duplicate_pct:
            words += ["duplicate", f"{path.duplicate_pct}%"]
        loss = 100 if self.blackout else self.loss_pct
        if loss:
            words += ["loss", f"{loss}%"]
        self.tc("A", "qdisc", verb, "dev", "vab", "root", "handle", "1:",
                "netem", *words, "limit", NETEM_LIMIT)

    def _bottleneck(self, verb):
        scenario, path = self.scenario, self.scenario.path
        if path.policer_mbit is not None:
            self._policer(verb)
        if not scenario.has_shaper:
            return
        if path.aqm == "cake":
            self.tc("B", "qdisc", verb, "dev", "vbr", "root", "handle", "1:", "cake",
                    "bandwidth", self._bits(self.rate_mbit), "memlimit", self.limit_bytes)
            return
        self.tc("B", "qdisc", verb, "dev", "vbr", "root", "handle", "1:", "tbf",
                "rate", self._bits(self.rate_mbit), "burst", int(scenario.burst_kb * 1024),
                "limit", self.limit_bytes)
        if verb == "add" and path.aqm:
            packets = max(10, self.limit_bytes // (path.mtu + 14))
            kind, *more = {"fq_codel": ("fq_codel", "noecn"), "pie": ("pie",),
                           "fq_codel_ecn": ("fq_codel", "ecn")}[path.aqm]
            self.tc("B", "qdisc", "add", "dev", "vbr", "parent", "1:1", kind,
                    "limit", packets, *more)

    def _policer(self, verb):
        """All packets of both versions.  The action has an index, because a
        filter cannot be replaced; next to a shaper events change the shaper."""
        path = self.scenario.path
        if verb == "change" and self.scenario.has_shaper:
            return
        rate = path.policer_mbit if self.scenario.has_shaper else self.rate_mbit
        police = ["action", "police", "rate", self._bits(rate),
                  "burst", int(path.policer_burst_kb * 1000), "conform-exceed", "drop",
                  "index", 1]
        if verb == "change":
            self.tc("B", "actions", "change", *police)
            return
        self.tc("B", "qdisc", "add", "dev", "vba", "ingress")
        self.tc("B", "filter", "add", "dev", "vba", "ingress", "protocol", "all",
                "matchall", *police)

    @staticmethod
    def _bits(mbit):
        return f"{mbit * 1e6:.0f}bit"

    # ---- events -------------------------------------------------------------

    def apply(self, event, undo=False):
        """Make an event happen, or undo it (for_s)."""
        before = {}
        for key in ("rate_mbit", "rtt_ms", "jitter_ms", "loss_pct", "limit_bytes",
                    "blackout", "receiver_window_bytes"):
            wanted = getattr(event, "buffer_bytes" if key == "limit_bytes" else key)
            if wanted is None:
                continue
            before[key] = getattr(self, key)
            setattr(self, key, self.undo[id(event)][key] if undo else wanted)
        if not undo:
            self.undo[id(event)] = before
        self._apply_changes(before)
        if event.sysctl:
            for name in self.senders:
                self.kcc_sysctls(name, event.sysctl)

    def _apply_changes(self, changed):
        if changed.keys() & {"rtt_ms", "jitter_ms", "blackout"}:
            self._ack_path("change")
        if changed.keys() & {"loss_pct", "blackout"}:
            self._data_path("change")
        if changed.keys() & {"rate_mbit", "limit_bytes"}:
            self._bottleneck("change")
        if "receiver_window_bytes" in changed:
            self._receiver_window()

    def statistics(self):
        """What tc says about every queue, for the raw files."""
        parts = []
        for name in self.senders + ["A", "B"]:
            parts.append(f"# {name} at {time.monotonic():.3f}\n"
                         + self.tc(name, "-s", "qdisc", "show"))
        if self.scenario.path.policer_mbit is not None:
            parts.append(self.tc("B", "-s", "filter", "show", "dev", "vba", "ingress"))
        return "\n".join(parts)
