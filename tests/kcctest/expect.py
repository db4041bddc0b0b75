# SPDX-License-Identifier: GPL-2.0
"""Judge the [[expect]] rows of a scenario on its finished runs."""

import statistics
from types import SimpleNamespace

from . import metrics
from .ksft import bounds, show

TOGETHER = {"mean": statistics.fmean, "median": statistics.median, "min": min, "max": max}


def measured(results, expect):
    """The expectation's metric over the rounds, or None if it has no value."""
    numbers = [metrics.value(r, expect.metric, expect.flow, expect.window_s) for r in results]
    numbers = [n for n in numbers if n is not None]
    return TOGETHER[expect.stat](numbers) if numbers else None


def judge(expect, runs, label):
    """One row: runs is {label: [results]}; status is pass, fail or skip."""
    row = SimpleNamespace(expect=expect, label=label, value=None, peer=None, status="fail")
    row.value = measured(runs[label], expect)
    if expect.vs:
        if expect.vs not in runs:
            row.status = "skip"
            row.text = f"{describe(expect)}: {expect.vs} was not run"
            return row
        row.peer = measured(runs[expect.vs], expect)
    number = ratio(row.value, row.peer) if expect.vs else row.value
    if number is not None and (expect.min is None or number >= expect.min) and (
            expect.max is None or number <= expect.max):
        row.status = "pass"
    row.number = number
    row.text = (f"{describe(expect)}: {label} {show(row.value)}"
                + (f", {expect.vs} {show(row.peer)}, ratio {show(number)}" if expect.vs else "")
                + f", allowed {bounds(expect.min, expect.max)}"
                + (f" ({expect.why})" if expect.why else ""))
    return row


def ratio(value, peer):
    """value / peer; none of nothing is 1, anything of nothing is no number."""
    if value is None or peer is None:
        return None
    if peer == 0:
        return 1.0 if value == 0 else float("inf")
    return value / peer


def describe(expect):
    """The metric with its group, window and statistic."""
    text = expect.metric
    if expect.flow:
        text += f" of {expect.flow}"
    if expect.window_s:
        text += f" from {expect.window_s[0]:g} to {expect.window_s[1]:g} s"
    return text + (f" ({expect.stat})" if expect.stat != "mean" else "")


def judge_all(scenario, runs, label):
    """Every row of a scenario for the judged algorithm."""
    return [judge(expect, runs, label) for expect in scenario.expects]
