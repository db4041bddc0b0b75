# SPDX-License-Identifier: GPL-2.0
"""Scenarios: what is accepted, what is refused, and how it is said."""

import glob
import os
import unittest

from . import keys, scenario
from .keys import ScenarioError

PATHS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "paths")
LINE = {"title": "line", "rate_mbit": 100, "rtt_ms": 40, "buffer_bdp": 1}


def parse(**more):
    """A plain line with changes; None takes a key away."""
    data = {k: v for k, v in {**LINE, **more}.items() if v is not None}
    return scenario.parse(data, "x.toml")


class Accepted(unittest.TestCase):
    """What a good file becomes."""

    def test_every_file_of_the_tree_loads(self):
        files = glob.glob(f"{PATHS}/**/*.toml", recursive=True)
        self.assertGreaterEqual(len(files), 3)
        for file in files:
            with self.subTest(file=file):
                scenario.load(file)

    def test_defaults(self):
        line = parse()
        self.assertEqual(line.bdp_bytes, 500_000)
        self.assertEqual(line.limit_bytes, 500_000)
        self.assertEqual((line.burst_kb, line.duration_s, line.rounds), (32, 10, 3))
        self.assertEqual(parse(rate_mbit=1000).burst_kb, 64)
        self.assertEqual([(f.name, f.cc, f.count) for f in line.flows], [("test", "test", 1)])
        self.assertAlmostEqual(line.payload_share, 1448 / 1514)

    def test_buffer_is_never_less_than_a_packet(self):
        self.assertEqual(parse(rate_mbit=0.1, rtt_ms=1).limit_bytes, 1514)

    def test_policer_alone_has_no_queue(self):
        line = parse(buffer_bdp=None, path={"policer_mbit": 20})
        self.assertFalse(line.has_shaper)
        self.assertEqual(line.bottleneck_mbit, 20)
        self.assertTrue(parse(path={"policer_mbit": 20}).has_shaper)

    def test_senders_are_the_distinct_round_trips(self):
        line = parse(flow=[{"name": "a"}, {"name": "b", "rtt_ms": 100},
                           {"name": "c", "rtt_ms": 100}, {"name": "d", "jitter_ms": 5}])
        self.assertEqual(line.senders, [(None, None), (100, None), (None, 5)])

    def test_end_is_the_last_flow_s(self):
        line = parse(flow=[{"count": 4, "stagger_s": 3, "duration_s": 40}])
        self.assertEqual(line.end_s, 49)
        line = parse(flow=[{"pattern": [[5, 20], [3.5, -1]]}])
        self.assertEqual(line.end_s, 8.5)

    def test_sysctl_is_flat_either_way(self):
        wanted = {"net.kcc.kcc_kf_enable": 1}
        self.assertEqual(parse(sysctl={"net": {"kcc": {"kcc_kf_enable": 1}}}).sysctl, wanted)
        self.assertEqual(parse(sysctl={"net.kcc.kcc_kf_enable": 1}).sysctl, wanted)

    def test_event_times(self):
        line = parse(event=[{"at_s": 5, "for_s": 0.3, "every_s": 5, "until_s": 10,
                             "blackout": True}])
        self.assertEqual(scenario.event_times(line.events[0], 100),
                         [(5, False), (5.3, True), (10, False), (10.3, True)])

    def test_warmup_is_a_group_of_flows_and_an_event(self):
        line = parse(warmup=[{"parallel": 2, "rate_mbit": 1000}, {"bytes": 5000}])
        first, second = line.warmups
        self.assertEqual((first.flow.cc, first.flow.parallel, first.flow.duration_s),
                         ("test", 2, 10))
        self.assertEqual((first.event.rate_mbit, first.event.rtt_ms), (1000, None))
        self.assertEqual((first.flow.is_transfer, second.flow.is_transfer), (False, True))
        self.assertEqual(len(line.flows), 1)

    def test_reference_names_every_key(self):
        text = keys.reference()
        for table in keys.SECTIONS.values():
            for name in table:
                self.assertIn(f"  {name} ", text)


class Refused(unittest.TestCase):
    """Every mistake is named with its file, key and remedy."""

    CASES = {
        "unknown key 'rate_mbits'; did you mean rate_mbit?": {"rate_mbits": 5},
        "title is missing": {"title": None},
        "rate_mbit takes a number from 0.01 to 100000, not '5'": {"rate_mbit": "5"},
        "rate_mbit takes a number from 0.01 to 100000, not nan": {"rate_mbit": float("nan")},
        "rate_mbit takes a number from 0.01 to 100000, not True": {"rate_mbit": True},
        "rounds takes a whole number from 1 to 1000, not 1.5": {"rounds": 1.5},
        "give buffer_bdp or buffer_bytes, not both": {"buffer_bytes": 5000},
        "buffer_bdp is missing": {"buffer_bdp": None},
        "aqm takes one of fq_codel, fq_codel_ecn, cake, pie, not 'red'": {"path": {"aqm": "red"}},
        "write [[flow]], not [flow]": {"flow": {"count": 4}},
        "ack_slot_ms takes a number or a pair": {"path": {"ack_slot_ms": [5, 2]}},
        "data_delay_ms is part of rtt_ms (40)": {"path": {"data_delay_ms": 50}},
        "reorder_pct needs data_delay_ms": {"path": {"reorder_pct": 25}},
        "two groups are called 'cubic'": {"flow": [{"cc": "cubic"}, {"cc": "cubic"}]},
        "give bytes or duration_s, not both": {"flow": [{"bytes": 5000, "duration_s": 3}]},
        "with bytes give count": {"flow": [{"bytes": 5000, "parallel": 3}]},
        "pattern takes a list of [seconds, Mbit/s]": {"flow": [{"pattern": [[1, 2, 3]]}]},
        "at most 500 are possible": {"flow": [{"count": 200, "parallel": 3}]},
        "[[warmup]] 1: parallel is iperf3's; with bytes give count":
            {"warmup": [{"bytes": 5000, "parallel": 3}]},
        "[[event]] 1: it changes nothing": {"event": [{"at_s": 5}]},
        "[[event]] 1: at_s is missing": {"event": [{"rate_mbit": 5}]},
        "for_s must be below every_s": {"event": [{"at_s": 1, "for_s": 2, "every_s": 2,
                                                   "loss_pct": 1}]},
        "unknown metric 'goodputs_mbit'; close ones: goodput_mbit":
            {"expect": [{"metric": "goodputs_mbit", "min": 1}]},
        "give min, max, or both": {"expect": [{"metric": "jain"}]},
        "no flow group is called 'x'": {"expect": [{"metric": "jain", "min": 1, "flow": "x"}]},
        "leave window_s out": {"expect": [{"metric": "first_second_mbit", "min": 1,
                                           "window_s": [1, 2]}]},
        "takes a table of sysctl names": {"sysctl": {"kcc_kf_enable": 1}},
    }

    def test_mistakes(self):
        for message, change in self.CASES.items():
            with self.subTest(message=message):
                with self.assertRaises(ScenarioError) as caught:
                    parse(**change)
                self.assertIn(message, str(caught.exception))
                self.assertTrue(str(caught.exception).startswith("x.toml"))

    def test_files_that_cannot_be_read(self):
        with self.assertRaisesRegex(ScenarioError, "No such file"):
            scenario.load("/nonexistent.toml")
        with self.assertRaisesRegex(ScenarioError, "not valid TOML"):
            scenario.load(__file__)


if __name__ == "__main__":
    unittest.main()
