# SPDX-License-Identifier: GPL-2.0
"""Judging, reporting, KTAP, and the jobs of a comparison."""

import copy
import csv
import io
import json
import os
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock

from . import expect, host, jobs, ksft, report, scenario
from .test_measure import captured

LINE = {"title": "line", "rate_mbit": 50, "rtt_ms": 40, "buffer_bdp": 0.5, "duration_s": 3}


def scaled(factor):
    """The captured result with other figures, as another algorithm's."""
    result = copy.deepcopy(captured("result.json"))
    for flow in result["flows"]:
        flow["goodput_mbit"] *= factor
        flow["retransmits"] = int(flow["retransmits"] * factor)
    return result


def line(*expects):
    """A scenario with expectations."""
    return scenario.parse({**LINE, "expect": list(expects)}, "line.toml")


class Judge(unittest.TestCase):
    """Expectations."""

    RUNS = {"bbr": [scaled(1), scaled(1)], "kcc": [scaled(0.9), scaled(1.1)]}

    def judge(self, **row):
        return expect.judge_all(line(row), self.RUNS, "kcc")[0]

    def test_bounds(self):
        self.assertEqual(self.judge(metric="goodput_mbit", min=1).status, "pass")
        self.assertEqual(self.judge(metric="goodput_mbit", max=1).status, "fail")

    def test_ratio_to_a_peer(self):
        row = self.judge(metric="goodput_mbit", vs="bbr", min=0.99, max=1.01)
        self.assertEqual(row.status, "pass")
        self.assertIn("ratio 1", row.text)
        row = self.judge(metric="goodput_mbit", vs="bbr", min=0.99, stat="min")
        self.assertEqual(row.status, "fail")

    def test_peer_that_was_not_run(self):
        self.assertEqual(self.judge(metric="goodput_mbit", vs="cubic", min=1).status, "skip")

    def test_no_value_never_passes(self):
        self.assertEqual(self.judge(metric="completion_s", max=99).status, "fail")

    def test_ratio_of_nothing(self):
        self.assertEqual(expect.ratio(0, 0), 1.0)
        self.assertEqual(expect.ratio(5, 0), float("inf"))
        self.assertIsNone(expect.ratio(None, 5))


class Reports(unittest.TestCase):
    """Files and tables."""

    def setUp(self):
        self.comparison = report.Comparison()
        for label, factors in (("bbr", (1, 1, 1.1)), ("kcc", (1.2, 1.21, 1.3))):
            for factor in factors:
                self.comparison.add(line(), label, scaled(factor))

    def test_table(self):
        text = report.table(self.comparison, "Linux 1.2")
        self.assertIn("kcc / bbr", text)
        self.assertIn("line: 50 Mbit/s, 40 ms, buffer 0.5 BDP, 1 flow, 3 s, mean of 3", text)
        self.assertIn("paired by round: goodput_mbit +", text)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            report.write_csv(self.comparison, folder)
            report.write_json(self.comparison, folder, "Linux 1.2", [])
            with open(f"{folder}/results.csv", encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), 6)
            self.assertEqual({r["algorithm"] for r in rows}, {"bbr", "kcc"})
            with open(f"{folder}/seconds.csv", encoding="utf-8", newline="") as file:
                self.assertEqual(len(list(csv.DictReader(file))), 6 * 2 * 3)
            with open(f"{folder}/summary.json", encoding="utf-8") as file:
                data = json.load(file)
            self.assertIn("goodput_mbit", data["scenarios"]["line"]["algorithms"]["kcc"]["mean"])

    def test_pictures(self):
        try:
            from . import plots
        except ImportError:
            self.skipTest("python3-matplotlib is not installed")
        with tempfile.TemporaryDirectory() as folder:
            for file in plots.write_all(self.comparison, "Linux 1.2", folder):
                self.assertGreater(os.path.getsize(file), 10_000)

    def test_paired_test(self):
        middle, chance = report.paired_test([12, 13, 14], [10, 11.1, 11.9])
        self.assertAlmostEqual(middle, 2.0)
        if chance is not None:
            self.assertLess(chance, 0.01)
        self.assertIsNone(report.paired_test([1, 2], [1, 2]))
        self.assertEqual(report.paired_test([2, 3, 4], [1, 2, 3]), (1.0, None))


class Variants(unittest.TestCase):
    """What can stand in --cc."""

    def test_settings(self):
        variant = jobs.Variant("kcc:kcc_kf_enable=1:net.ipv4.tcp_ecn=1", "/m/kcc.ko")
        self.assertEqual(variant.cc, "kcc")
        self.assertEqual(variant.module, "/m/kcc.ko")
        self.assertEqual(variant.sysctl, ["net.kcc.kcc_kf_enable=1", "net.ipv4.tcp_ecn=1"])
        self.assertNotIn(":", variant.folder)
        self.assertIsNone(jobs.Variant("bbr", "/m/kcc.ko").module)
        self.assertEqual(jobs.Variant("kcc:ko=/x/kcc.ko", None).module, "/x/kcc.ko")

    def test_mistakes(self):
        for text in ("kcc:kcc_kf_enable", "kcc:x=", "../kcc", ""):
            with self.subTest(text=text), self.assertRaises(ValueError):
                jobs.Variant(text, None)


class JobInputs(unittest.TestCase):
    """A result counts only for the inputs that made it."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = f"{self.folder.name}/line.toml"
        self.write("")
        self.module = f"{self.folder.name}/kcc.ko"
        with open(self.module, "wb") as file:
            file.write(b"one")
        self.options = SimpleNamespace(out=self.folder.name, machine_id="uml-1", machine="uml")

    def write(self, more):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write('title = "x"\nrate_mbit = 5\nrtt_ms = 5\nbuffer_bdp = 1\n' + more)

    def job(self, cc="kcc", number=1):
        return jobs.Job(scenario.load(self.file), jobs.Variant(cc, self.module), number,
                        self.options)

    def test_inputs_depend_on_everything(self):
        seen = {self.job().inputs(), self.job(number=2).inputs(), self.job("bbr").inputs(),
                self.job("kcc:kcc_rtt_mode=1").inputs()}
        bbr = self.job("bbr").inputs()
        with open(self.module, "wb") as file:
            file.write(b"two")
        seen.add(self.job().inputs())
        self.assertEqual(self.job("bbr").inputs(), bbr)     # it has no module
        self.write("loss_pct = 1\n")
        seen.add(self.job().inputs())
        self.options.machine_id = "uml-2"
        seen.add(self.job().inputs())
        self.assertEqual(len(seen), 7)

    def test_finished(self):
        job = self.job()
        self.assertFalse(job.finished())
        os.makedirs(job.folder)
        for text, wanted in (("{", False), ('{"inputs": "old"}', False),
                             (json.dumps({"inputs": job.inputs()}), True)):
            with open(f"{job.folder}/result.json", "w", encoding="utf-8") as file:
                file.write(text)
            self.assertEqual(job.finished(), wanted)

    def test_failure_shows_the_end_of_the_log(self):
        job = self.job()
        with mock.patch.object(jobs.Job, "command",
                               return_value=["sh", "-c", "echo it broke; exit 3"]):
            job.run(lambda _process: None)
        self.assertIn("exit status 3", job.error)
        self.assertIn("it broke", job.error)


class Ktap(unittest.TestCase):
    """Output and exit status of network tests."""

    def run_cases(self, *cases, **environment):
        out = io.StringIO()
        clean = {k: v for k, v in os.environ.items()
                 if k not in ("TESTS", "KCC_EXPECT_ALL", "KSFT_MACHINE_SLOW")}
        with mock.patch.dict(os.environ, {**clean, **environment}, clear=True):
            status = ksft.run(cases, out)
        return status, out.getvalue()

    def test_pass_shows_measured_and_bounds(self):
        def good(case):
            case.check("rate", 5.0, 4, 6, "Mbit/s")
        status, text = self.run_cases(good)
        self.assertEqual(status, 0)
        self.assertIn("TAP version 13\n1..1\n", text)
        self.assertIn("# ok: rate: measured 5 Mbit/s, allowed 4 to 6", text)
        self.assertIn("\nok 1 good\n", text)

    def test_failures(self):
        def low(case):
            case.check("rate", 3, 4)

        def missing(case):
            case.check("rate", None, 4)

        def broken(_case):
            raise KeyError("x")

        def empty(_case):
            pass

        def unset(_case):
            raise host.SetupError("no tc")
        status, text = self.run_cases(low, missing, broken, empty, unset)
        self.assertEqual(status, 1)
        self.assertEqual(text.count("not ok"), 5)
        self.assertIn("it checked nothing", text)
        self.assertIn("set-up: no tc", text)

    def test_skip(self):
        def absent(case):
            case.skip("no such tool")
        status, text = self.run_cases(absent)
        self.assertEqual(status, 4)
        self.assertIn("ok 1 absent # SKIP no such tool", text)
        status, _text = self.run_cases(absent, KCC_EXPECT_ALL="1")
        self.assertEqual(status, 1)

    def test_selection(self):
        def one(case):
            case.true("one", True)

        def two(case):
            case.true("two", False)
        self.assertEqual(self.run_cases(one, two, TESTS="one")[0], 0)
        status, text = self.run_cases(one, TESTS="three")
        self.assertEqual(status, 1)
        self.assertIn("Bail out!", text)

    def test_slow_machine(self):
        def timed(case):
            case.check("time", 9, 0, 1, "s", timing=True)
        self.assertEqual(self.run_cases(timed)[0], 1)
        self.assertEqual(self.run_cases(timed, KSFT_MACHINE_SLOW="yes")[0], 0)


if __name__ == "__main__":
    unittest.main()
