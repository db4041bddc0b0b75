# SPDX-License-Identifier: GPL-2.0
"""A scenario: one path, its flows, its events and what is expected of them.

One TOML file each.  A file that loads is complete and consistent: nobody later
needs to check or guess, and a typing error is reported with its place.
"""

import difflib
import os
import tomllib
from types import SimpleNamespace

from . import keys
from .keys import ScenarioError

ETHERNET = 14               # bytes of a packet that are not its MTU
TCP_IP_HEADERS = {4: 20 + 20, 6: 40 + 20}
TIMESTAMPS = 12
SYSCTL_EXAMPLE = '"net.kcc.kcc_kf_enable" = 1'


class Scenario(SimpleNamespace):
    """A validated scenario; its attributes are the keys of keys.TOP, plus path,
    flows, events, expects (namespaces of their keys) and sysctl."""

    @property
    def bdp_bytes(self):
        """Bytes in flight that fill the line at its first rate and RTT."""
        return self.rate_mbit * self.rtt_ms * 125

    @property
    def has_shaper(self):
        """Whether there is a bottleneck queue (a lone policer has none)."""
        return self.path.policer_mbit is None or self.buffer_given

    @property
    def limit_bytes(self):
        """The bottleneck's buffer in bytes, never less than one packet."""
        if self.buffer_bytes is not None:
            return self.buffer_bytes
        return max(int(self.buffer_bdp * self.bdp_bytes), self.path.mtu + ETHERNET)

    @property
    def payload_share(self):
        """Goodput over shaped rate of a full packet: the ceiling of goodput."""
        headers = TCP_IP_HEADERS[self.path.ip] + (TIMESTAMPS if self.path.timestamps else 0)
        return (self.path.mtu - headers) / (self.path.mtu + ETHERNET)

    @property
    def bottleneck_mbit(self):
        """What limits the flows first: the policer or the line."""
        return min(self.rate_mbit, self.path.policer_mbit or self.rate_mbit)

    @property
    def end_s(self):
        """When the last timed flow has sent; sized flows end when they end."""
        return max(f.start_s + (f.count - 1) * f.stagger_s + f.duration_s for f in self.flows)

    @property
    def senders(self):
        """The distinct (RTT, jitter) pairs; each is a sender of its own.  The
        first one has the path's own RTT even if no flow uses it."""
        pairs = [(None, None)]
        for flow in self.flows:
            if (flow.rtt_ms, flow.jitter_ms) not in pairs:
                pairs.append((flow.rtt_ms, flow.jitter_ms))
        return pairs

    def describe(self):
        """The path in one line, for titles."""
        size = (f"{self.buffer_bdp:g} BDP" if self.buffer_bytes is None
                else f"{self.buffer_bytes:,} bytes")
        parts = [f"{self.rate_mbit:g} Mbit/s", f"{self.rtt_ms:g} ms"]
        if self.path.policer_mbit is not None:
            parts.append(f"policer {self.path.policer_mbit:g} Mbit/s "
                         f"burst {self.path.policer_burst_kb:g} kB")
        if self.has_shaper:
            parts.append(f"buffer {size}" + (f" {self.path.aqm}" if self.path.aqm else ""))
        if self.loss_pct:
            parts.append(f"{self.loss_pct:g} % loss")
        count = sum(f.count * f.parallel for f in self.flows)
        parts.append(f"{count} flow{'s' if count != 1 else ''}, {self.end_s:g} s")
        return ", ".join(parts)


def read_table(table, section, where):
    """Check one table against its keys and fill in the defaults."""
    known = keys.SECTIONS[section]
    if not isinstance(table, dict):
        raise ScenarioError(f"{where} must be a table")
    for name in table:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
            raise ScenarioError(f"{where}: unknown key '{name}'; {hint}")
    values = {}
    for name, key in known.items():
        if name in table:
            values[name] = key.check(table[name], f"{where}: {name}")
        elif key.required:
            raise ScenarioError(f"{where}: {name} is missing; it takes {key.allowed()}")
        else:
            values[name] = key.default
    return values


def read_list(data, section, where):
    """Check an array of tables."""
    rows = data.pop(section, [])
    if not isinstance(rows, list):
        raise ScenarioError(f"{where}: write [[{section}]], not [{section}]")
    return [SimpleNamespace(**read_table(row, section, f"{where}: [[{section}]] {number}"))
            for number, row in enumerate(rows, 1)]


def load(path):
    """Read and validate a scenario file."""
    where = os.fspath(path)
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except OSError as error:
        raise ScenarioError(f"{where}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{where}: not valid TOML: {error}") from None
    return parse(data, where)


def parse(data, where):
    """Validate a scenario that has been read; where is used in messages."""
    data = dict(data)
    flows = read_list(data, "flow", where) or [
        SimpleNamespace(**read_table({}, "flow", where))]
    warmups = read_list(data, "warmup", where)
    events = read_list(data, "event", where)
    expects = read_list(data, "expect", where)
    path = SimpleNamespace(**read_table(data.pop("path", {}), "path", f"{where}: [path]"))
    sysctl = keys.Key("settings", "").check(
        data.pop("sysctl", {}), f"{where}: [sysctl] (for example {SYSCTL_EXAMPLE})")
    scenario = Scenario(**read_table(data, "", where), path=path, flows=flows,
                        warmups=warmups, events=events, expects=expects, sysctl=sysctl)
    scenario.name = os.path.splitext(os.path.basename(where))[0]
    scenario.file = where
    check_buffer(scenario, where)
    check_path(scenario, where)
    check_flows(scenario, where)
    check_warmups(scenario, where)
    check_events(scenario, where)
    check_expects(scenario, where)
    return scenario


def check_buffer(scenario, where):
    """Exactly one of the two ways to say how large the buffer is."""
    given = [k for k in ("buffer_bdp", "buffer_bytes") if getattr(scenario, k) is not None]
    scenario.buffer_given = bool(given)
    if len(given) == 2:
        raise ScenarioError(f"{where}: give buffer_bdp or buffer_bytes, not both")
    if not given and scenario.path.policer_mbit is None:
        raise ScenarioError(f"{where}: buffer_bdp is missing; it takes "
                            f"{keys.TOP['buffer_bdp'].allowed()} (or give buffer_bytes)")
    if not given:
        scenario.buffer_bdp = 1.0
    if scenario.burst_kb is None:
        scenario.burst_kb = 64 if scenario.rate_mbit >= 1000 else 32


def check_path(scenario, where):
    """Combinations that netem or TCP would silently make nonsense of."""
    path = scenario.path
    if path.data_delay_ms > scenario.rtt_ms:
        raise ScenarioError(f"{where}: [path]: data_delay_ms is part of rtt_ms "
                            f"({scenario.rtt_ms:g}) and cannot be {path.data_delay_ms:g}")
    if path.reorder_pct and not path.data_delay_ms:
        raise ScenarioError(f"{where}: [path]: reorder_pct needs data_delay_ms, "
                            "by which the packets overtake")
    if path.reorder_pct and path.data_jitter_ms:
        raise ScenarioError(f"{where}: [path]: data_jitter_ms keeps packets in order; "
                            "leave it or reorder_pct out")
    if path.ip == 5:
        raise ScenarioError(f"{where}: [path]: ip takes 4 or 6")
    if path.ip == 6 and path.mtu < 1280:
        raise ScenarioError(f"{where}: [path]: IPv6 needs an mtu of at least 1280")
    if path.aqm and not scenario.has_shaper:
        raise ScenarioError(f"{where}: [path]: aqm needs a queue; give buffer_bdp too")


def check_flows(scenario, where):
    """Give every group a name and a duration, and names only once."""
    names = set()
    for number, flow in enumerate(scenario.flows, 1):
        here = f"{where}: [[flow]] {number}"
        flow.name = flow.name or flow.cc
        if flow.name in names:
            raise ScenarioError(f"{here}: two groups are called '{flow.name}'; "
                                "give one of them another name")
        names.add(flow.name)
        lengths = [k for k in ("bytes", "duration_s", "pattern") if getattr(flow, k) is not None]
        if len(lengths) > 1:
            raise ScenarioError(f"{here}: give {' or '.join(lengths)}, not both")
        flow.is_transfer = flow.bytes is not None or flow.pattern is not None
        if flow.is_transfer and flow.parallel > 1:
            raise ScenarioError(f"{here}: parallel is iperf3's; with {lengths[0]} give count")
        if flow.pattern and flow.rate_mbit:
            raise ScenarioError(f"{here}: the pattern holds the rates; leave rate_mbit out")
        if not all(c.isalnum() or c in "_-" for c in flow.cc):
            raise ScenarioError(f"{here}: cc takes \"test\" or an algorithm's name, "
                                f"not {flow.cc!r}")
        if flow.pattern:
            flow.duration_s = sum(part[0] for part in flow.pattern)
        if flow.duration_s is None:
            flow.duration_s = scenario.duration_s
    total = sum(f.count * f.parallel for f in scenario.flows)
    if total > 500:
        raise ScenarioError(f"{where}: {total} flows; at most 500 are possible")


def check_warmups(scenario, where):
    """A warm-up is a group of flows and an event that is undone after it."""
    for number, warmup in enumerate(scenario.warmups, 1):
        here = f"{where}: [[warmup]] {number}"
        if warmup.bytes is not None and warmup.parallel > 1:
            raise ScenarioError(f"{here}: parallel is iperf3's; with bytes give count")
        group = {k: getattr(warmup, k) for k in ("cc", "count", "parallel", "bytes")
                 if getattr(warmup, k) is not None}
        warmup.flow = SimpleNamespace(**read_table(group, "flow", here))
        warmup.flow.name = f"warm-up {number}"
        warmup.flow.is_transfer = warmup.bytes is not None
        warmup.flow.duration_s = warmup.duration_s
        changes = {k: getattr(warmup, k) for k in ("rate_mbit", "rtt_ms", "buffer_bytes",
                                                  "loss_pct")}
        warmup.event = SimpleNamespace(**{**dict.fromkeys(keys.EVENT), **changes})


def check_events(scenario, where):
    """An event changes something, and repeats sensibly."""
    for number, event in enumerate(scenario.events, 1):
        here = f"{where}: [[event]] {number}"
        if all(getattr(event, k) is None for k in keys.ACTIONS):
            raise ScenarioError(f"{here}: it changes nothing; give one of "
                                f"{', '.join(keys.ACTIONS)}")
        if event.every_s and event.for_s and event.for_s >= event.every_s:
            raise ScenarioError(f"{here}: for_s must be below every_s")
        if event.for_s and event.sysctl:
            raise ScenarioError(f"{here}: a sysctl is not undone; leave for_s out")
        if event.buffer_bytes and not scenario.has_shaper:
            raise ScenarioError(f"{here}: there is no buffer to change")


def check_expects(scenario, where):
    """An expectation names a known metric, a known group, and a bound."""
    from . import metrics   # late: metrics knows scenarios, not the other way round
    names = [f.name for f in scenario.flows]
    for number, expect in enumerate(scenario.expects, 1):
        here = f"{where}: [[expect]] {number}"
        if expect.metric not in metrics.NAMES:
            close = difflib.get_close_matches(expect.metric, metrics.NAMES, 3, 0.4)
            raise ScenarioError(f"{here}: unknown metric '{expect.metric}'; "
                                f"close ones: {', '.join(close) or 'none'}; all: run-path --keys")
        if expect.min is None and expect.max is None:
            raise ScenarioError(f"{here}: give min, max, or both")
        if expect.min is not None and expect.max is not None and expect.min > expect.max:
            raise ScenarioError(f"{here}: min is above max")
        if expect.flow is not None and expect.flow not in names:
            raise ScenarioError(f"{here}: no flow group is called '{expect.flow}'; "
                                f"there are: {', '.join(names)}")
        if expect.window_s and not metrics.NAMES[expect.metric].windowed:
            raise ScenarioError(f"{here}: {expect.metric} is of the whole run; "
                                "leave window_s out")


def event_times(event, end_s):
    """[(time, undo?)]: when an event happens and is undone."""
    times = []
    at = event.at_s
    last = event.until_s if event.until_s is not None else end_s
    while at <= last:
        times.append((at, False))
        if event.for_s:
            times.append((at + event.for_s, True))
        if not event.every_s:
            break
        at += event.every_s
    return times
