# SPDX-License-Identifier: GPL-2.0
"""One round of one scenario with one algorithm, from namespaces to a result."""

import heapq
import itertools
import os
import platform
import random
import time

from . import flows, host, net, sample
from .scenario import event_times

SAMPLE_S = 0.1
START_POLL_S = 0.005
GRACE_S = 60


class Clock:
    """What has to happen when; times count from the first flow's first data."""

    def __init__(self):
        self.pending = []
        self.order = itertools.count()
        self.zero = time.monotonic()

    def now(self):
        """Seconds since the first data."""
        return time.monotonic() - self.zero

    def at(self, when, action):
        """Plan an action."""
        heapq.heappush(self.pending, (when, next(self.order), action))

    def step(self):
        """Wait for the next action and do it."""
        when, _order, action = heapq.heappop(self.pending)
        delay = when - self.now()
        if delay > 0:
            time.sleep(delay)
        action(self.now())


class Round:
    """The moving parts of one run."""

    def __init__(self, scenario, cc, number, folder):
        self.scenario = scenario
        self.cc = cc
        self.folder = folder
        # Same seed for every algorithm: round 2 of both has the same ports.
        self.rng = random.Random(f"{scenario.name}/{number}")
        self.connections = flows.plan(scenario, cc, self.rng)
        self.clock = Clock()
        self.events = []
        self.late_ms = 0
        self.quiet = os.environ.get("KCC_MACHINE", "").startswith("uml")

    def run(self):
        """Run it; the result's measured part is returned."""
        for name in sorted({c.cc for c in self.connections}):
            host.require_algorithm(name)
        os.makedirs(f"{self.folder}/raw", exist_ok=True)
        with net.Path(self.scenario, self.cc) as path:
            self.path = path
            for warmup in self.scenario.warmups:
                self._warm_up(warmup)
            flows.serve_all(path, self.connections, f"{self.folder}/raw")
            self.sampler = sample.Sampler(path, self.connections)
            time.sleep(self.rng.uniform(0, 0.01))
            self._first_data()
            self._plan()
            self._loop()
            self._statistics()
        self.sampler.write(f"{self.folder}/raw")
        return self._result()

    def _warm_up(self, warmup):
        """Run the flows of one warm-up to their end, and wait."""
        folder = f"{self.folder}/raw"
        connections = flows.plan(self.scenario, self.cc, self.rng, [warmup.flow])
        self.path.apply(warmup.event)
        flows.serve_all(self.path, connections, folder)
        for connection in connections:
            connection.connect(self.path, folder)
        host.wait_until(lambda: all(c.finished() for c in connections),
                        warmup.duration_s + GRACE_S, "the warm-up to end", SAMPLE_S)
        for connection in connections:
            connection.results(folder)
        self.path.apply(warmup.event, undo=True)
        time.sleep(warmup.pause_s)

    def _first_data(self):
        """Start the flows that come first; time is zero when data arrives.

        Tools talk for several RTTs before they send, so every flow is launched
        that much earlier, and flows with different RTTs really start together.
        """
        ready = sorted(self.connections, key=lambda c: c.start_s - self._lead(c))
        begun = time.monotonic()
        zero = begun + self._lead(ready[0]) - ready[0].start_s
        first = min(ready, key=lambda c: c.start_s)
        for connection in ready:
            launch = zero + connection.start_s - self._lead(connection)
            if launch > zero + first.start_s:
                break
            time.sleep(max(0, launch - time.monotonic()))
            self._connect(connection)
        host.wait_until(lambda: self._data_arrives(first), 60,
                        "the first data to arrive", START_POLL_S)
        self.clock.zero = time.monotonic() - first.start_s
        self.late_ms = (self.clock.zero - zero) * 1000

    def _lead(self, connection):
        return connection.lead_s((connection.flow.rtt_ms or self.scenario.rtt_ms) / 1000)

    def _connect(self, connection, _now=None):
        connection.connect(self.path, f"{self.folder}/raw")

    def _data_arrives(self, first):
        if first.finished():
            first.results(f"{self.folder}/raw")
            raise flows.FlowError("the first flow ended before any data arrived")
        return any(s.get("received", 0) > 1 and s["local_port"] in first.cports
                   for s in self.sampler.receiving())

    def _plan(self):
        for connection in self.connections:
            if connection.client is None:
                self.clock.at(connection.start_s - self._lead(connection),
                              lambda now, c=connection: self._connect(c, now))
        for event in self.scenario.events:
            for when, undo in event_times(event, self.scenario.end_s):
                self.clock.at(when, lambda now, e=event, u=undo: self._event(now, e, u))
        self.clock.at(0, self._sample)

    def _event(self, now, event, undo):
        self.path.apply(event, undo)
        changed = {k: v for k, v in vars(event).items() if v is not None and k != "at_s"}
        self.events.append({"time_s": round(now, 4), "undone": undo, "changes": changed})

    def _sample(self, now):
        self.sampler.tick(now)
        if self.quiet:
            self._quiet()
        self.clock.at(round(now / SAMPLE_S + 0.51) * SAMPLE_S, self._sample)

    def _quiet(self):
        """Spare fast receivers the wake-ups; slow ones keep their resolution."""
        for connection in self.connections:
            if connection.quiet or connection.client is None:
                continue
            columns = [self.sampler.flows[p]["received_bytes"][-11:] for p in connection.cports]
            if all(len(c) == 11 and c[0] is not None and c[-1] is not None
                   and (c[-1] - c[0]) * 8e-6 > flows.LOW_WATER_MBIT for c in columns):
                flows.quiet_receivers(connection, self.sampler.last)

    def _loop(self):
        limit = self.scenario.end_s + GRACE_S + 0.05 * self.scenario.rtt_ms
        while not all(c.finished() for c in self.connections):
            self.clock.step()
            for connection in self.connections:
                if connection.finished() and connection.client.returncode != 0:
                    connection.results(f"{self.folder}/raw")
                    raise flows.FlowError(
                        f"the flow on port {connection.port} ended with status "
                        f"{connection.client.returncode}; see raw/client-{connection.port}.json")
            if self.clock.now() > limit:
                late = [c.flow.name for c in self.connections if not c.finished()]
                raise flows.FlowError(f"flows not finished {GRACE_S} s after their time: "
                                      f"{', '.join(sorted(set(late)))}; a longer duration_s "
                                      "gives sized transfers more time")

    def _statistics(self):
        with open(f"{self.folder}/raw/qdisc.txt", "w", encoding="utf-8") as file:
            file.write(self.path.statistics())
        self._memory()

    def _memory(self):
        """What KCC remembers at the end, if it does."""
        for name in self.path.senders:
            with host.inside(self.path.ns[name]):
                try:
                    with open("/proc/net/kcc", encoding="ascii") as file:
                        text = file.read()
                except OSError:
                    continue
            with open(f"{self.folder}/raw/kcc-{name}.txt", "w", encoding="utf-8") as file:
                file.write(text)

    def _result(self):
        result = []
        for connection in self.connections:
            rtt = connection.flow.rtt_ms or self.scenario.rtt_ms
            for stream in connection.results(f"{self.folder}/raw"):
                columns = self.sampler.flows[stream["port"]]
                seen = first_seen(self.sampler.times, columns["received_bytes"])
                # The plan is finer than the samples, if it was kept.
                if seen is not None and abs(seen - connection.start_s) < 2 * SAMPLE_S:
                    seen = round(connection.start_s, 4)
                stream.update(rtt_ms=rtt, samples=columns, start_s=seen)
                result.append(stream)
        return {"times": self.sampler.times, "queue": self.sampler.queue,
                "flows": result, "events": self.events, "late_ms": round(self.late_ms, 1)}


def first_seen(times, received):
    """When a flow's first data was seen."""
    for when, value in zip(times, received):
        if value is not None and value > 1:
            return when
    return None


def describe_machine(cc):
    """Where and with what a result was measured."""
    module = {}
    for name in ("version", "srcversion"):
        try:
            with open(f"/sys/module/{cc}/{name}", encoding="ascii") as file:
                module[name] = file.read().strip()
        except OSError:
            pass
    return {"kernel": platform.release(), "machine": os.environ.get("KCC_MACHINE", "this host"),
            "module": module}


def path_facts(scenario):
    """What metrics and reports need to know about the path."""
    return {"name": scenario.name, "title": scenario.title, "line": scenario.describe(),
            "rate_mbit": scenario.bottleneck_mbit, "rtt_ms": scenario.rtt_ms,
            "bdp_bytes": scenario.bdp_bytes, "limit_bytes": scenario.limit_bytes,
            "payload_share": scenario.payload_share, "end_s": scenario.end_s}
