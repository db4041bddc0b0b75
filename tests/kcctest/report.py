# SPDX-License-Identifier: GPL-2.0
"""Tables, CSV and JSON of a comparison."""

import csv
import json
import math
import statistics

from . import metrics

# (heading, metric, format): what the articles print, then what they should have.
COLUMNS = (
    ("goodput", "goodput_mbit", "{:.0f}"), ("1st s", "first_second_mbit", "{:.1f}"),
    ("2nd s", "second_second_mbit", "{:.0f}"), ("retrans.", "retransmissions", "{:.0f}"),
    ("retr. %", "retransmitted_pct", "{:.2f}"), ("Jain", "jain", "{:.3f}"),
    ("fast:slow", "fastest_to_slowest", "{:.2f}"), ("queue ms", "queue_ms", "{:.1f}"),
    ("RTT ms", "rtt_ms", "{:.1f}"), ("cwnd BDP", "cwnd_bdp", "{:.2f}"),
    ("done s", "completion_s", "{:.3f}"),
)
PAIRED = ("goodput_mbit", "first_second_mbit", "retransmissions", "queue_ms")


class Comparison:
    """Results by scenario, then by label; metrics are worked out afresh."""

    def __init__(self):
        self.scenarios = {}
        self.runs = {}
        self.numbers = {}

    def add(self, scenario, label, result):
        """Add one round."""
        self.scenarios[scenario.name] = scenario
        rounds = self.runs.setdefault(scenario.name, {}).setdefault(label, [])
        rounds.append(result)
        self.numbers.setdefault(scenario.name, {}).setdefault(label, []).append(
            metrics.summary(result))

    def series(self, name, label, metric):
        """A metric's value in every round that has one."""
        values = [n.get(metric) for n in self.numbers[name][label]]
        return [v for v in values if v is not None]

    def mean(self, name, label, metric):
        """A metric's mean over the rounds, or None."""
        values = self.series(name, label, metric)
        return statistics.fmean(values) if values else None

    def ratio(self, name, label, base, metric):
        """Mean over mean, or None where that says nothing."""
        ours, theirs = self.mean(name, label, metric), self.mean(name, base, metric)
        if ours is None or not theirs:
            return None
        return ours / theirs


def small(number, form):
    """A number in its column's form, with more digits if it is small."""
    if number is None:
        return "-"
    if form == "{:.0f}" and abs(number) < 100:
        form = "{:.1f}" if abs(number) >= 10 else "{:.2f}"
    text = form.format(number)
    return "0" if number == 0 else text


def align(rows):
    """Rows of text as an aligned table: the first column left, others right."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    return ["  ".join(c.ljust(w) if i == 0 else c.rjust(w)
                      for i, (c, w) in enumerate(zip(r, widths))).rstrip() for r in rows]


def used_columns(comparison):
    """The columns that have a value somewhere."""
    return [column for column in COLUMNS if any(
        comparison.mean(name, label, column[1]) is not None
        for name, labels in comparison.numbers.items() for label in labels)]


def group_rows(comparison, name, label, columns):
    """A row for each group of a variant, if it has several."""
    groups = list(dict.fromkeys(f.name for f in comparison.scenarios[name].flows))
    for group in groups if len(groups) > 1 else []:
        yield [f"    {group}"] + [
            small(comparison.mean(name, label, f"{metric}:{group}"), form)
            for _head, metric, form in columns]


def table(comparison, facts):
    """The whole comparison as text."""
    columns = used_columns(comparison)
    rows = [["Mbit/s unless said otherwise"] + [c[0] for c in columns]]
    notes = {}
    for name, labels in comparison.numbers.items():
        scenario = comparison.scenarios[name]
        rounds = max(len(v) for v in labels.values())
        notes[len(rows)] = (f"{scenario.title}: {scenario.describe()}, mean of "
                            f"{rounds} round{'s' if rounds != 1 else ''}")
        first = next(iter(labels))
        for label in labels:
            rows.append([f"  {label}"] + [small(comparison.mean(name, label, metric), form)
                                          for _head, metric, form in columns])
            rows.extend(group_rows(comparison, name, label, columns))
        for label in list(labels)[1:]:
            ratios = [comparison.ratio(name, label, first, c[1]) for c in columns]
            rows.append([f"  {label} / {first}"] + ["-" if r is None else f"{r:.3f}"
                                                    for r in ratios])
    lines = []
    for number, line in enumerate(align(rows)):
        if number in notes:
            lines += ["", notes[number]]
        lines.append(line)
    lines += ["", *paired_lines(comparison)]
    return "\n".join([facts, "", *lines]).rstrip() + "\n"


def paired_test(ours, theirs):
    """(mean difference, p) of a paired t test; p is None if it says nothing."""
    pairs = list(zip(ours, theirs))
    if len(pairs) < 3:
        return None
    differences = [a - b for a, b in pairs]
    spread = statistics.stdev(differences)
    middle = statistics.fmean(differences)
    if spread == 0:
        return middle, None
    try:
        from scipy import stats
    except ImportError:
        return middle, None
    t = middle / (spread / math.sqrt(len(pairs)))
    return middle, float(2 * stats.t.sf(abs(t), len(pairs) - 1))


def paired(comparison):
    """Every paired test: rounds of the same number have the same ports."""
    for name, labels in comparison.numbers.items():
        first, *others = labels
        for label in others:
            for metric in PAIRED:
                test = paired_test(comparison.series(name, label, metric),
                                   comparison.series(name, first, metric))
                ratio = comparison.ratio(name, label, first, metric)
                if test and ratio is not None:
                    yield {"scenario": name, "label": label, "against": first, "metric": metric,
                           "change_pct": 100 * (ratio - 1), "p": test[1]}


def paired_lines(comparison):
    """The paired tests as text, one line for each pair of algorithms."""
    lines = {}
    for test in paired(comparison):
        sure = "" if test["p"] is None else f" (p {test['p']:.2g})"
        lines.setdefault((test["scenario"], test["label"], test["against"]), []).append(
            f"{test['metric']} {test['change_pct']:+.1f} %{sure}")
    return [f"{scenario}: {label} against {against}, paired by round: {', '.join(parts)}"
            for (scenario, label, against), parts in lines.items()]


def write_csv(comparison, folder):
    """One row for each round, and one for each second of each flow."""
    names = sorted({m for labels in comparison.numbers.values()
                    for rounds in labels.values() for n in rounds for m in n},
                   key=lambda m: (":" in m, list(metrics.NAMES).index(m.split(":")[0]), m))
    with open(f"{folder}/results.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["scenario", "algorithm", "round", *names])
        for name, labels in comparison.numbers.items():
            for label, rounds in labels.items():
                for result, numbers in zip(comparison.runs[name][label], rounds):
                    rows.writerow([name, label, result["round"],
                                   *(numbers.get(m) for m in names)])
    with open(f"{folder}/seconds.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["scenario", "algorithm", "round", "group", "port", "start_s",
                       "second", "mbit"])
        for name, labels in comparison.runs.items():
            for label, rounds in labels.items():
                for result in rounds:
                    for flow in result["flows"]:
                        for second, rate in enumerate(flow["seconds"], 1):
                            rows.writerow([name, label, result["round"], flow["group"],
                                           flow["port"], flow["start_s"], second, rate])


def write_json(comparison, folder, facts, judged):
    """Means, rounds and judgements, for other programs."""
    data = {"facts": facts, "scenarios": {}, "paired": list(paired(comparison)),
            "expectations": [
                {"scenario": name, "text": row.text, "status": row.status,
                 "metric": row.expect.metric, "flow": row.expect.flow, "vs": row.expect.vs,
                 "min": row.expect.min, "max": row.expect.max, "value": row.value,
                 "peer": row.peer, "why": row.expect.why}
                for name, row in judged]}
    for name, labels in comparison.numbers.items():
        scenario = comparison.scenarios[name]
        data["scenarios"][name] = {
            "title": scenario.title, "path": scenario.describe(),
            "algorithms": {label: {"mean": {m: metrics.rounded(comparison.mean(name, label, m))
                                            for m in rounds[0]}, "rounds": rounds}
                           for label, rounds in labels.items()}}
    with open(f"{folder}/summary.json", "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
        file.write("\n")
