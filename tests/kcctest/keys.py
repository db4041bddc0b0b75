# SPDX-License-Identifier: GPL-2.0
"""Every key that a scenario file may hold, in one table.

The same table validates a file, gives the defaults, and prints the reference
(`tests/run-path --keys`), so the three cannot drift apart.
"""

import math


class ScenarioError(Exception):
    """A scenario file is wrong; the message names file, key and remedy."""


class Key:
    """One key: what it takes, between which bounds, and what it is for."""

    def __init__(self, kind, doc, default=None, low=-math.inf, high=math.inf,
                 choices=None, required=False):
        self.kind = kind
        self.doc = doc
        self.default = default
        self.low = low
        self.high = high
        self.choices = choices
        self.required = required

    def allowed(self):
        """What the key takes, in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind in ("text", "flag", "settings", "pattern"):
            return {"text": "a text in quotes", "flag": "true or false",
                    "pattern": "a list of [seconds, Mbit/s]; 0 is silence, -1 full speed",
                    "settings": "a table of sysctl names and values"}[self.kind]
        noun = {"number": "a number", "integer": "a whole number",
                "range": "a number or a pair [low, high]"}[self.kind]
        if self.low > -math.inf and self.high < math.inf:
            return f"{noun} from {self.low:g} to {self.high:g}"
        if self.low > -math.inf:
            return f"{noun} of at least {self.low:g}"
        return noun

    def check(self, value, where):
        """The value in its final form, or ScenarioError."""
        good = {"text": self._text, "choice": self._choice, "flag": self._flag,
                "number": self._number, "integer": self._integer,
                "range": self._range, "settings": self._settings,
                "pattern": self._pattern}[self.kind](value)
        if good is None:
            raise ScenarioError(f"{where} takes {self.allowed()}, not {value!r}")
        return good

    @staticmethod
    def _text(value):
        return value if isinstance(value, str) and value.strip() else None

    def _choice(self, value):
        return value if value in self.choices else None

    @staticmethod
    def _flag(value):
        return value if isinstance(value, bool) else None

    def _number(self, value):
        # A bool is an int in Python, and nan compares false with everything.
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        return value if self.low <= value <= self.high else None

    def _integer(self, value):
        return self._number(value) if isinstance(value, int) else None

    def _range(self, value):
        pair = value if isinstance(value, list) else [value, value]
        if len(pair) != 2 or any(self._number(v) is None for v in pair):
            return None
        return pair if pair[0] <= pair[1] else None

    def _pattern(self, value):
        if not isinstance(value, list) or not value:
            return None
        for part in value:
            if not isinstance(part, list) or len(part) != 2 or any(
                    self._number(v) is None for v in part) or part[0] <= 0:
                return None
        return value

    @staticmethod
    def _settings(value):
        if not isinstance(value, dict):
            return None
        flat = dict(flatten(value))
        good = all(k.startswith("net.") and isinstance(v, (int, str))
                   and not isinstance(v, bool) for k, v in flat.items())
        return flat if good else None


def flatten(table, prefix=""):
    """[sysctl.net.kcc] x = 1 and "net.kcc.x" = 1 mean the same."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def number(doc, default=None, low=0, high=math.inf, **more):
    """A Key for a number that is not negative unless said otherwise."""
    return Key("number", doc, default, low, high, **more)


TOP = {
    "title": Key("text", "what a reader of the report sees", required=True),
    "rate_mbit": number("rate of the bottleneck, with Ethernet headers",
                        low=0.01, high=100_000, required=True),
    "rtt_ms": number("round trip time without queues", low=0.01, high=10_000, required=True),
    "buffer_bdp": number("buffer of the bottleneck, as a multiple of rate x RTT",
                         low=0.001, high=1000),
    "buffer_bytes": Key("integer", "the same in bytes", low=1600, high=4_000_000_000),
    "loss_pct": number("random loss in the data direction", 0, high=100),
    "burst_kb": number("burst of the bottleneck's token bucket, in 1024 bytes; "
                       "the default is 64 from 1000 Mbit/s on, else 32 (a lot below "
                       "1 Mbit/s)", low=2, high=100_000),
    "duration_s": Key("integer", "how long the flows send, in whole seconds", 10, 1, 3600),
    "rounds": Key("integer", "how often it is run; a round has namespaces, ports and "
                  "start times of its own", 3, 1, 1000),
}

PATH = {
    "jitter_ms": number("deviation of the delay (normal, in order) on the ACK path", high=1000),
    "data_delay_ms": number("part of the RTT that lies in the data direction", 0, high=10_000),
    "data_jitter_ms": number("deviation of the data direction's delay (normal, in order)",
                             high=1000),
    "ack_slot_ms": Key("range", "ACKs pass only in slots that far apart (Wi-Fi)",
                       low=0.01, high=1000),
    "reorder_pct": number("share of data packets that overtake the others by data_delay_ms",
                          high=100),
    "reorder_correlation_pct": number("correlation of overtaking", 0, high=100),
    "duplicate_pct": number("share of data packets that arrive twice", high=100),
    "aqm": Key("choice", "queue of the bottleneck instead of a plain FIFO",
               choices=["fq_codel", "fq_codel_ecn", "cake", "pie"]),
    "policer_mbit": number("rate of a policer in front of the bottleneck; without "
                           "buffer_bdp and buffer_bytes there is no queue at all",
                           low=0.01, high=100_000),
    "policer_burst_kb": number("burst of the policer, in 1000 bytes", 50, low=2, high=1_000_000),
    "sender_qdisc": Key("choice", "queue discipline of the senders", "fq",
                        choices=["fq", "pfifo_fast", "noqueue"]),
    "ecn": Key("flag", "both ends negotiate ECN", False),
    "timestamps": Key("flag", "both ends use TCP timestamps", True),
    "sack": Key("flag", "both ends use selective acknowledgements", True),
    "mtu": Key("integer", "MTU of every link", 1500, 576, 9000),
    "ip": Key("integer", "version of the internet protocol: 4 or 6", 4, 4, 6),
    "receiver_start_bytes": Key("integer", "receive buffer of a new connection; the "
                                "kernel's default is 131072, of which half is offered",
                                low=4096, high=1 << 30),
    "receiver_window_bytes": Key("integer", "largest window the receiver offers, about",
                                 low=4096, high=1 << 30),
}

FLOW = {
    "name": Key("text", "name of the group in reports and expectations; the default is its cc"),
    "cc": Key("text", "congestion control: \"test\" is the one being compared, "
              "anything else is that algorithm in every run", "test"),
    "count": Key("integer", "connections, each by processes of its own", 1, 1, 200),
    "parallel": Key("integer", "streams of each (iperf3 -P)", 1, 1, 128),
    "start_s": number("when the first one starts", 0, high=3600),
    "stagger_s": number("how much later each further one starts", 0, high=3600),
    "duration_s": Key("integer", "how long each sends; the default is the scenario's",
                      low=1, high=3600),
    "bytes": Key("integer", "send that much instead of that long", low=1000, high=1 << 40),
    "pattern": Key("pattern", "change the offered rate within one connection", low=-1, high=1e5),
    "rate_mbit": number("the application offers no more than this (iperf3 -b)",
                        low=0.01, high=100_000),
    "rtt_ms": number("an RTT of its own, through a sender of its own", low=0.01, high=10_000),
    "jitter_ms": number("a jitter of its own, through a sender of its own", high=1000),
}

WARMUP = {
    "cc": FLOW["cc"],
    "count": FLOW["count"],
    "parallel": FLOW["parallel"],
    "duration_s": Key("integer", "how long each sends", 10, 1, 3600),
    "bytes": FLOW["bytes"],
    "rate_mbit": number("rate of the bottleneck meanwhile", low=0.01, high=100_000),
    "rtt_ms": number("RTT meanwhile", low=0.01, high=10_000),
    "buffer_bytes": Key("integer", "buffer meanwhile", low=1600, high=4_000_000_000),
    "loss_pct": number("random loss meanwhile", high=100),
    "pause_s": number("silence afterwards", 1, high=3600),
}

EVENT = {
    "at_s": number("when, counted from the first flow's first data", high=3600, required=True),
    "for_s": number("undo it after that long", low=0.001, high=3600),
    "every_s": number("again and again at this distance", low=0.01, high=3600),
    "until_s": number("not after this; the default is the end", high=7200),
    "rate_mbit": number("new rate of the bottleneck (of the policer, if that is alone)",
                        low=0.01, high=100_000),
    "rtt_ms": number("new RTT of the flows without one of their own", low=0.01, high=10_000),
    "jitter_ms": number("new jitter of the ACK path", high=1000),
    "loss_pct": number("new random loss", high=100),
    "buffer_bytes": Key("integer", "new buffer", low=1600, high=4_000_000_000),
    "blackout": Key("flag", "nothing passes in either direction"),
    "receiver_window_bytes": Key("integer", "new largest window", low=4096, high=1 << 30),
    "sysctl": Key("settings", "settings of the senders (net.kcc.* only if the module is there)"),
}
ACTIONS = [k for k in EVENT if k not in ("at_s", "for_s", "every_s", "until_s")]

EXPECT = {
    "metric": Key("text", "a name from `tests/run-path --keys`", required=True),
    "min": number("lowest value that passes", low=-math.inf),
    "max": number("highest value that passes", low=-math.inf),
    "vs": Key("text", "judge the ratio to this algorithm's value on the same path"),
    "flow": Key("text", "of one group of flows instead of all"),
    "window_s": Key("range", "of this part of the run only", low=0, high=3600),
    "stat": Key("choice", "how rounds are put together", "mean",
                choices=["mean", "median", "min", "max"]),
    "why": Key("text", "where the number comes from"),
}

SECTIONS = {"": TOP, "path": PATH, "flow": FLOW, "warmup": WARMUP, "event": EVENT,
            "expect": EXPECT}


def reference():
    """The keys as text, for --keys and the documentation."""
    lines = []
    titles = {"": "top of the file", "path": "[path]: what the plain line lacks",
              "flow": "[[flow]]: one group of flows each (default: one flow)",
              "warmup": "[[warmup]]: flows that come and go before; nothing is measured",
              "event": "[[event]]: a change while flows run",
              "expect": "[[expect]]: one check each"}
    for section, table in SECTIONS.items():
        lines += ["", titles[section]]
        for name, key in table.items():
            extra = "required" if key.required else ""
            if key.default is not None:
                default = str(key.default).lower() if key.kind == "flag" else key.default
                extra = f"default {default}"
            lines.append(f"  {name:<24}{key.doc}")
            lines.append(f"  {'':<24}({key.allowed()}{'; ' + extra if extra else ''})")
    lines += ["", "[sysctl]: settings of the senders, such as \"net.kcc.kcc_kf_enable\" = 1",
              "  (net.kcc.* only apply when the algorithm under test is kcc)"]
    return "\n".join(lines[1:])
