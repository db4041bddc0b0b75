# SPDX-License-Identifier: GPL-2.0
"""From the raw part of a result to flat numbers.

A metric is a function of a View: the flows of one group (or all) in a part of
the run (or all of it).  Totals of the whole run come from iperf3, as in the
articles; parts of the run come from the samples.
"""

import math
import statistics

STEADY_AFTER = 0.3          # the window is judged after that share of the run


class View:
    """What a metric looks at."""

    def __init__(self, result, group=None, window_s=None):
        self.path = result["path"]
        self.flows = [f for f in result["flows"] if group in (None, f["group"])]
        self.times = result["times"]
        self.queue = result["queue"]
        self.events = result.get("events", [])
        self.window_s = window_s
        starts = [f["start_s"] for f in self.flows if f["start_s"] is not None]
        self.begin = min(starts, default=0.0)
        self.end = max((f["start_s"] + f["length_s"] for f in self.flows
                        if f["start_s"] is not None), default=0.0)
        if window_s:
            self.begin, self.end = window_s

    def indices(self, begin=None):
        """The samples inside the window."""
        begin = self.begin if begin is None else begin
        return [i for i, t in enumerate(self.times) if begin - 1e-6 <= t <= self.end + 1e-6]

    def values(self, flow, column, begin=None):
        """A flow's samples of a column inside the window, without gaps."""
        data = flow["samples"][column]
        return [data[i] for i in self.indices(begin) if data[i] is not None]

    def steady(self):
        """Where the run's settled part begins; a given window is taken whole."""
        if self.window_s:
            return self.begin
        return self.begin + STEADY_AFTER * (self.end - self.begin)

    def moved_bytes(self, flow):
        """What a flow's receiver got inside the window."""
        if not self.window_s:
            return flow["received_bytes"]
        return (self.received_at(flow, self.end) or 0) - (self.received_at(flow, self.begin) or 0)

    def received_at(self, flow, when):
        """Bytes received until a time, interpolated between two samples."""
        before = None
        for time, value in zip(self.times, flow["samples"]["received_bytes"]):
            if value is None:
                continue
            if time >= when:
                if before is None or time == before[0]:
                    return value if time == when else 0
                share = (when - before[0]) / (time - before[0])
                return before[1] + share * (value - before[1])
            before = (time, value)
        return before[1] if before else None

    def flow_rates(self):
        """Each flow's goodput in Mbit/s."""
        if not self.window_s:
            return [f["goodput_mbit"] for f in self.flows]
        length = self.end - self.begin
        return [self.moved_bytes(f) * 8e-6 / length for f in self.flows]

    def total_rate(self):
        """All flows together: the sum of what iperf3 says of each, as in the
        articles, unless they sent at different times."""
        starts = [f["start_s"] or 0 for f in self.flows]
        lengths = [f["length_s"] for f in self.flows]
        beside = max(starts) - min(starts) < 0.5 and max(lengths) - min(lengths) < 0.5
        if beside or self.window_s:
            return sum(self.flow_rates())
        return sum(f["received_bytes"] for f in self.flows) * 8e-6 / (self.end - self.begin)


class Metric:
    """A metric's function, unit and meaning."""

    def __init__(self, function, unit, doc, windowed=False):
        self.function = function
        self.unit = unit
        self.doc = doc
        self.windowed = windowed


NAMES = {}


def metric(unit, windowed=False):
    """Register a function as a metric under its name."""
    def register(function):
        NAMES[function.__name__] = Metric(function, unit, function.__doc__, windowed)
        return function
    return register


def value(result, name, group=None, window_s=None):
    """One metric of one result."""
    return NAMES[name].function(View(result, group, window_s))


def summary(result):
    """Every metric of the whole run, and of each group if there are several:
    goodput_mbit, and goodput_mbit:cubic."""
    flat = {name: rounded(value(result, name)) for name in NAMES}
    groups = list(dict.fromkeys(f["group"] for f in result["flows"]))
    if len(groups) > 1:
        for group in groups:
            flat.update({f"{name}:{group}": rounded(value(result, name, group))
                         for name in NAMES})
    return flat


def rounded(number):
    """Six significant digits; more would only pretend."""
    if number is None or (isinstance(number, float) and not math.isfinite(number)):
        return None
    return float(f"{number:.6g}") if isinstance(number, float) else number


def mean(numbers):
    """Arithmetic mean, None of nothing."""
    return statistics.fmean(numbers) if numbers else None


def percentile(numbers, percent):
    """The value that percent of the numbers do not exceed (nearest rank)."""
    if not numbers:
        return None
    ranked = sorted(numbers)
    return ranked[max(0, math.ceil(percent / 100 * len(ranked)) - 1)]


def jain_index(rates):
    """Jain's fairness index: 1 is equal shares, 1/n is one flow has all."""
    squares = sum(r * r for r in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else None


# ---- goodput ------------------------------------------------------------------

@metric("Mbit/s", True)
def goodput_mbit(view):
    """goodput of all flows together, at the receiver"""
    return view.total_rate()


@metric("%", True)
def utilisation_pct(view):
    """goodput, relative to the most that the bottleneck could carry"""
    most = view.path["rate_mbit"] * view.path["payload_share"]
    return 100 * view.total_rate() / most


def nth_second(view, number):
    """Goodput of the flows' own nth second."""
    rates = [f["seconds"][number] for f in view.flows if len(f["seconds"]) > number]
    return sum(rates) if rates else None


@metric("Mbit/s")
def first_second_mbit(view):
    """goodput of the flows' first second"""
    return nth_second(view, 0)


@metric("Mbit/s")
def second_second_mbit(view):
    """goodput of the flows' second second"""
    return nth_second(view, 1)


@metric("Mbit/s")
def third_second_mbit(view):
    """goodput of the flows' third second"""
    return nth_second(view, 2)


@metric("Mbit/s", True)
def lowest_second_mbit(view):
    """goodput of the worst second of any alignment, after the first two"""
    return lowest(view, 1.0)


@metric("Mbit/s", True)
def lowest_200ms_mbit(view):
    """goodput of the worst 200 ms, after the first two seconds"""
    return lowest(view, 0.2)


def lowest(view, length):
    """The smallest goodput of any stretch of that length."""
    begin = view.begin if view.window_s else view.begin + 2
    at = view.indices(begin)
    if len(at) < 2 or view.times[at[-1]] - view.times[at[0]] < length:
        return None
    total = [sum(f["samples"]["received_bytes"][i] or 0 for f in view.flows) for i in at]
    times = [view.times[i] for i in at]
    worst, left = math.inf, 0
    for right, when in enumerate(times):
        while left + 1 < right and when - times[left + 1] >= length - 1e-3:
            left += 1
        span = when - times[left]
        if span >= length - 1e-3:
            worst = min(worst, (total[right] - total[left]) * 8e-6 / span)
    return worst if math.isfinite(worst) else None


@metric("s")
def completion_s(view):
    """time of the slowest sized transfer, from connected to the last byte"""
    times = [f["completion_s"] for f in view.flows if f["completion_s"] is not None]
    return max(times, default=None)


@metric("s")
def completion_mean_s(view):
    """mean time of the sized transfers"""
    return mean([f["completion_s"] for f in view.flows if f["completion_s"] is not None])


# ---- fairness -----------------------------------------------------------------

@metric("", True)
def jain(view):
    """Jain's index over the flows' goodput; 1 is fair, one flow has none"""
    return jain_index(view.flow_rates()) if len(view.flows) > 1 else None


@metric("", True)
def fastest_to_slowest(view):
    """goodput of the fastest flow over that of the slowest"""
    rates = view.flow_rates()
    return max(rates) / min(rates) if len(rates) > 1 and min(rates) > 0 else None


@metric("Mbit/s", True)
def slowest_mbit(view):
    """goodput of the slowest flow"""
    return min(view.flow_rates(), default=None)


# ---- loss ---------------------------------------------------------------------

def change(view, column):
    """How much a counter of the senders grew inside the window, all flows."""
    total = 0
    for flow in view.flows:
        data = view.values(flow, column)
        if data:
            total += data[-1] - (data[0] if view.window_s else 0)
    return total


@metric("packets", True)
def retransmissions(view):
    """packets sent again"""
    if view.window_s:
        return change(view, "retransmits")
    return sum(f["retransmits"] for f in view.flows)


@metric("%", True)
def retransmitted_pct(view):
    """packets sent again, of all packets sent"""
    sent = change(view, "sent_segments")
    return 100 * retransmissions(view) / sent if sent else None


@metric("packets", True)
def dropped(view):
    """packets that the bottleneck's queue dropped"""
    at = view.indices()
    return view.queue["drops"][at[-1]] - view.queue["drops"][at[0]] if at else None


@metric("packets", True)
def ce_marks(view):
    """packets that arrived with a congestion mark"""
    return change(view, "delivered_ce")


# ---- queue and delay ------------------------------------------------------------

def queue_series(view):
    """The bottleneck's queue in milliseconds at its rate of that time."""
    return [view.queue["bytes"][i] * 8e-3 / view.queue["rate_mbit"][i] for i in view.indices()]


@metric("ms", True)
def queue_ms(view):
    """mean queue of the bottleneck"""
    return mean(queue_series(view))


@metric("ms", True)
def queue_max_ms(view):
    """longest queue of the bottleneck"""
    return max(queue_series(view), default=None)


def rtt_values(view):
    """Every sample of the senders' smoothed RTT."""
    return [v for f in view.flows for v in view.values(f, "rtt_ms")]


@metric("ms", True)
def rtt_ms(view):
    """mean of the smoothed RTT"""
    return mean(rtt_values(view))


@metric("ms", True)
def rtt_p99_ms(view):
    """99th percentile of the smoothed RTT"""
    return percentile(rtt_values(view), 99)


@metric("ms", True)
def rtt_max_ms(view):
    """largest smoothed RTT"""
    return max(rtt_values(view), default=None)


@metric("ms", True)
def rtt_jitter_ms(view):
    """standard deviation of the smoothed RTT"""
    values = rtt_values(view)
    return statistics.pstdev(values) if values else None


# ---- the sender's state ---------------------------------------------------------

def in_bdp(view, column):
    """The flows' sum of a column, as a multiple of the path's BDP, settled."""
    per_flow = [mean(view.values(f, column, view.steady())) for f in view.flows]
    known = [v for v in per_flow if v is not None]
    return sum(known) / view.path["bdp_bytes"] if known else None


@metric("BDP", True)
def cwnd_bdp(view):
    """sum of the windows in the settled part of the run (its last 70 %)"""
    return in_bdp(view, "cwnd_bytes")


@metric("BDP", True)
def inflight_bdp(view):
    """sum of the data in flight in the settled part of the run"""
    return in_bdp(view, "inflight_bytes")


@metric("ms", True)
def model_rtt_ms(view):
    """the algorithm's own idea of the empty path's RTT at the end (ss: mrtt)"""
    last = [view.values(f, "model_rtt_ms")[-1:] for f in view.flows]
    return mean([v[0] for v in last if v])


@metric("ms", True)
def model_rtt_max_ms(view):
    """the largest such idea of any flow at the end"""
    return max((v for f in view.flows for v in view.values(f, "model_rtt_ms")[-1:]), default=None)


@metric("Mbit/s", True)
def model_bw_mbit(view):
    """sum of the algorithm's own ideas of the bandwidth at the end (ss: bw)"""
    last = [view.values(f, "bw_mbit")[-1:] for f in view.flows]
    known = [v[0] for v in last if v]
    return sum(known) if known else None


def per_second(result, group=None):
    """Sum of the flows' goodput by second of the run, for charts; flows that
    start later are put where they belong."""
    totals = {}
    for flow in result["flows"]:
        if group in (None, flow["group"]):
            start = round(flow["start_s"] or 0)
            for number, rate in enumerate(flow["seconds"]):
                totals[start + number] = totals.get(start + number, 0) + rate
    return [(second + 1, totals[second]) for second in sorted(totals)]


def reference():
    """All metrics as text."""
    lines = ["metrics (* also of a window_s):"]
    for name, item in NAMES.items():
        unit = f" [{item.unit}]" if item.unit else ""
        lines.append(f"  {name:<22}{'*' if item.windowed else ' '} {item.doc}{unit}")
    return "\n".join(lines)
