# SPDX-License-Identifier: GPL-2.0
"""From captured netlink answers and iperf3 output to metrics."""

import copy
import json
import os
import unittest
from types import SimpleNamespace

from . import flows, metrics, netlink, sample

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "samples")


def captured(name):
    """A captured file."""
    with open(f"{SAMPLES}/{name}", encoding="utf-8") as file:
        return json.load(file)


class Netlink(unittest.TestCase):
    """The parsers agree with what tc and ss printed at the same moment."""

    def setUp(self):
        self.data = captured("netlink.json")

    def test_queue_agrees_with_tc(self):
        reader = netlink.QueueReader.__new__(netlink.QueueReader)
        reader.index = self.data["ifindex"]
        reader.netlink = SimpleNamespace(
            dump=lambda *_: map(bytes.fromhex, self.data["qdisc"]))
        queue = reader.read()
        self.assertIn(f"(dropped {queue['drops']}, overlimits {queue['overlimits']} ",
                      self.data["tc"])
        self.assertIn(f"backlog {queue['backlog']}b {queue['packets']}p", self.data["tc"])

    def test_sockets_agree_with_ss(self):
        socks = [netlink.parse_socket(bytes.fromhex(a)) for a in self.data["sockets"]]
        self.assertEqual([s["cc"] for s in socks], ["bbr", "bbr", "cubic"])
        for sock in socks[:2]:
            mbit = sock["bw"] * 8
            self.assertIn(f"cwnd:{sock['cwnd']} ", self.data["ss"])
            self.assertIn(f"mrtt:{sock['model_rtt_us'] / 1000:g}", self.data["ss"])
            self.assertIn(f"bw:{mbit}bps", self.data["ss"])
            self.assertIn(f"unacked:{sock['unacked']} ", self.data["ss"])
            self.assertIn(f"rtt:{sock['rtt_us'] / 1000:g}/", self.data["ss"])
            self.assertIn(f"bytes_sent:{sock['sent']} ", self.data["ss"])
            self.assertIn(f"data_segs_out:{sock['segments']} ", self.data["ss"])
            self.assertIn(f"lost:{sock['lost']} ", self.data["ss"])
            self.assertIn(f"sacked:{sock['sacked']} ", self.data["ss"])
            self.assertIn(f"minrtt:{sock['min_rtt_us'] / 1000:g}", self.data["ss"])
            self.assertIn(f"retrans:{sock['retrans_out']}/{sock['retrans']}", self.data["ss"])

    def test_in_flight_is_without_what_arrived_or_was_lost(self):
        sock = self.data["parsed"][0]
        row = sample.sender_row(sock)
        self.assertEqual(row["inflight_bytes"], (221 - 102 - 12 + 12) * 1448)
        self.assertEqual(row["cwnd_bytes"], 170 * 1448)

    def test_cut_answers_do_not_break_the_parser(self):
        whole = bytes.fromhex(self.data["sockets"][0])
        for length in range(72, len(whole), 7):
            netlink.parse_socket(whole[:length])


class Iperf(unittest.TestCase):
    """One client's JSON, and what must never pass."""

    FLOW = SimpleNamespace(name="test", parallel=2, bytes=None)

    def setUp(self):
        self.data = captured("iperf3-client.json")

    def parse(self, cc="bbr"):
        return flows.parse_client(self.data, cc, [1000, 1001], self.FLOW)

    def test_streams(self):
        one, two = self.parse()
        self.assertEqual((one["port"], two["port"]), (1000, 1001))
        self.assertEqual(len(one["seconds"]), 3)
        received = self.data["end"]["sum_received"]["bytes"]
        self.assertEqual(one["received_bytes"] + two["received_bytes"], received)
        self.assertAlmostEqual(one["goodput_mbit"] + two["goodput_mbit"],
                               self.data["end"]["sum_received"]["bits_per_second"] / 1e6, 3)
        self.assertEqual(one["retransmits"] + two["retransmits"],
                         self.data["end"]["sum_sent"]["retransmits"])
        self.assertTrue(all(c > 0 for c in one["sender_cwnd_bytes"]))

    def test_another_algorithm_than_asked_for_is_an_error(self):
        with self.assertRaisesRegex(flows.FlowError, "was to use kcc, but its sender used bbr"):
            self.parse("kcc")

    def test_iperf_error_is_an_error(self):
        self.data["error"] = "unable to set TCP_CONGESTION"
        with self.assertRaisesRegex(flows.FlowError, "unable to set TCP_CONGESTION"):
            self.parse()

    def test_no_json_is_an_error(self):
        with self.assertRaisesRegex(flows.FlowError, "wrote no JSON"):
            flows.read_json(f"{SAMPLES}/README", "iperf3")

    def test_transfer(self):
        flow = SimpleNamespace(name="a", bytes=100000)
        got = {"bytes": 100000, "seconds": [100000], "length_s": 0.3, "completion_s": 0.4}
        row = flows.parse_transfer(got, {"cc": "bbr", "bytes": 100000, "retransmits": 2},
                                   flow, "bbr", 5)
        self.assertAlmostEqual(row["goodput_mbit"], 0.8 / 0.3)
        self.assertEqual((row["completion_s"], row["retransmits"], row["seconds"]),
                         (0.4, 2, [0.8]))


def toy():
    """Two flows of 1 Mbyte/s and 3 Mbyte/s for 4 s, sampled each 0.5 s, with a
    queue of 10 ms that is 30 ms from second 2 on; the second starts at 1 s."""
    times = [i / 2 for i in range(11)]

    def flow(group, rate, start):
        return {"group": group, "start_s": start, "length_s": 4.0, "goodput_mbit": rate * 8.0,
                "received_bytes": int(rate * 4e6), "retransmits": rate * 100,
                "completion_s": None, "seconds": [rate * 8.0] * 4,
                "samples": {
                    "received_bytes": [int(max(0, min(t - start, 4)) * rate * 1e6)
                                       if t >= start else None for t in times],
                    "rtt_ms": [50.0 + (20 if t >= 2 else 0) if t >= start else None
                               for t in times],
                    "cwnd_bytes": [100_000 if t >= start else None for t in times],
                    "inflight_bytes": [50_000 if t >= start else None for t in times],
                    "retransmits": [int(max(0, t - start) * rate * 25) for t in times],
                    "sent_segments": [int(max(0, t - start) * rate * 1000) for t in times],
                    "delivered_ce": [0] * 11, "model_rtt_ms": [None] * 11,
                    "bw_mbit": [None] * 11}}
    return {"times": times, "flows": [flow("test", 1, 0.0), flow("cubic", 3, 1.0)],
            "queue": {"bytes": [10e3 * 40 / 8 if t < 2 else 30e3 * 40 / 8 for t in times],
                      "rate_mbit": [40] * 11, "drops": [0] * 5 + [7] * 6},
            "path": {"rate_mbit": 40, "payload_share": 0.95, "bdp_bytes": 200_000}}


class Metrics(unittest.TestCase):
    """Numbers that can be worked out by hand."""

    def value(self, name, group=None, window_s=None):
        return metrics.value(toy(), name, group, window_s)

    def test_goodput(self):
        # 16 Mbyte in the 5 s in which anybody sent, not the sum of two means.
        self.assertAlmostEqual(self.value("goodput_mbit"), 16 * 8 / 5)
        self.assertAlmostEqual(self.value("goodput_mbit", "cubic"), 24)
        self.assertAlmostEqual(self.value("goodput_mbit", None, (2, 4)), 32)
        self.assertAlmostEqual(self.value("goodput_mbit", None, (0.25, 1.25)), 8 + 6)
        self.assertAlmostEqual(self.value("utilisation_pct", None, (2, 4)), 100 * 32 / 38)

    def test_flows_beside_each_other_are_summed(self):
        result = toy()
        result["flows"][1]["start_s"] = 0.003
        self.assertAlmostEqual(metrics.value(result, "goodput_mbit"), 32)

    def test_fairness(self):
        self.assertAlmostEqual(self.value("jain"), 16 / (2 * 10))
        self.assertAlmostEqual(self.value("fastest_to_slowest"), 3)
        self.assertIsNone(self.value("jain", "cubic"))
        self.assertAlmostEqual(metrics.jain_index([5, 5, 5]), 1)
        self.assertIsNone(metrics.jain_index([0, 0]))

    def test_seconds(self):
        self.assertAlmostEqual(self.value("first_second_mbit"), 32)
        self.assertIsNone(metrics.nth_second(metrics.View(toy()), 9))
        self.assertEqual(metrics.per_second(toy()),
                         [(1, 8.0), (2, 32.0), (3, 32.0), (4, 32.0), (5, 24.0)])

    def test_queue(self):
        self.assertAlmostEqual(self.value("queue_ms", None, (2, 4)), 30)
        self.assertAlmostEqual(self.value("queue_max_ms"), 30)
        self.assertAlmostEqual(self.value("queue_ms", "test", (0, 1.5)), 10)
        self.assertEqual(self.value("dropped"), 7)

    def test_loss(self):
        self.assertEqual(self.value("retransmissions"), 400)
        self.assertEqual(self.value("retransmissions", "test", (2, 4)), 50)
        self.assertAlmostEqual(self.value("retransmitted_pct", "test"), 100 * 100 / 4000)
        self.assertAlmostEqual(self.value("retransmitted_pct", "test", (2, 4)), 2.5)

    def test_delay(self):
        self.assertAlmostEqual(self.value("rtt_ms", "test", (0, 1.5)), 50)
        self.assertAlmostEqual(self.value("rtt_p99_ms"), 70)
        self.assertEqual(metrics.percentile(list(range(1, 101)), 99), 99)
        self.assertIsNone(metrics.percentile([], 99))

    def test_window_sizes(self):
        self.assertAlmostEqual(self.value("cwnd_bdp"), 1.0)
        self.assertAlmostEqual(self.value("inflight_bdp", "test"), 0.25)
        self.assertIsNone(self.value("model_rtt_ms"))

    def test_lowest(self):
        result = toy()
        data = result["flows"][1]["samples"]["received_bytes"]
        for i in range(7, 11):      # the second flow gets nothing from 3 s on
            data[i] = data[6]
        self.assertAlmostEqual(metrics.value(result, "lowest_second_mbit", None, (2, 4)), 8)
        # From 4 s on the first flow has ended, and the second stands still.
        self.assertAlmostEqual(metrics.value(result, "lowest_second_mbit"), 0)
        self.assertAlmostEqual(metrics.value(result, "lowest_second_mbit", None, (1, 3)), 32)

    def test_summary_has_groups(self):
        flat = metrics.summary(toy())
        self.assertIn("goodput_mbit:cubic", flat)
        self.assertTrue(set(metrics.NAMES) <= set(flat))

    def test_captured_result(self):
        result = captured("result.json")
        again = metrics.summary(copy.deepcopy(result))
        self.assertEqual({k: again.get(k) for k in result["metrics"]}, result["metrics"])
        self.assertLess(again["goodput_mbit"], 50 * 1448 / 1514)
        # Two ways to the same number: the senders' RTT, and the queue.
        self.assertAlmostEqual(again["rtt_ms"] - 40, again["queue_ms"], delta=2)
        self.assertAlmostEqual(metrics.value(result, "goodput_mbit", None, (0, 3)),
                               again["goodput_mbit"], delta=1)


if __name__ == "__main__":
    unittest.main()
