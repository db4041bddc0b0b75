# SPDX-License-Identifier: GPL-2.0
"""Pictures of a comparison, by matplotlib (Debian: python3-matplotlib)."""

import statistics

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402

from . import metrics  # noqa: E402

# Colours that stay apart for colour-blind readers (Okabe and Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BARS = (("goodput_mbit", "goodput, Mbit/s"), ("first_second_mbit", "first second, Mbit/s"),
        ("retransmissions", "retransmissions"), ("queue_ms", "mean queue, ms"),
        ("jain", "Jain's index"))
pyplot.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
                        "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})


def colours(labels):
    """One colour for each algorithm, the same in every panel."""
    return {label: COLOURS[i % len(COLOURS)] for i, label in enumerate(labels)}


def draw_seconds(axes, comparison, name):
    """Goodput of every second of every round; the mean of the rounds is thick."""
    runs = comparison.runs[name]
    for (label, rounds), colour in zip(runs.items(), colours(runs).values()):
        curves = [dict(metrics.per_second(r)) for r in rounds]
        for curve in curves:
            axes.plot(list(curve), list(curve.values()), color=colour, lw=0.8, alpha=0.5)
        seconds = sorted(set().union(*curves))
        middle = [statistics.fmean([c[s] for c in curves if s in c]) for s in seconds]
        axes.plot(seconds, middle, color=colour, lw=2.2, marker="o", ms=3.5, label=label)
    scenario = comparison.scenarios[name]
    ceiling = scenario.bottleneck_mbit * scenario.payload_share
    axes.axhline(ceiling, color="grey", lw=0.8, ls="--")
    axes.annotate(f"ceiling {ceiling:.0f}", (1, ceiling), xytext=(0, 2), fontsize=7,
                  textcoords="offset points", color="grey", xycoords=("axes fraction", "data"),
                  ha="right")
    axes.set(xlabel="second", ylabel="goodput, Mbit/s", ylim=(0, None),
             title="goodput of every round (thick: mean)")
    axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    axes.legend(frameon=False, loc="lower right")


def draw_queue(axes, comparison, name):
    """The bottleneck's queue over time, every round."""
    runs = comparison.runs[name]
    for (label, rounds), colour in zip(runs.items(), colours(runs).values()):
        for number, result in enumerate(rounds):
            queue = [b * 8e-3 / r for b, r in zip(result["queue"]["bytes"],
                                                  result["queue"]["rate_mbit"])]
            axes.plot(result["times"], queue, color=colour, lw=1, alpha=0.7,
                      label=label if number == 0 else None)
    scenario = comparison.scenarios[name]
    if scenario.has_shaper:
        full = scenario.limit_bytes * 8e-3 / scenario.rate_mbit
        axes.axhline(full, color="grey", lw=0.8, ls="--")
        axes.annotate(f"buffer {full:.0f} ms", (1, full), xytext=(0, 2), fontsize=7, ha="right",
                      textcoords="offset points", color="grey", xycoords=("axes fraction", "data"))
    axes.set(xlabel="time, s", ylabel="queue, ms", xlim=(0, scenario.end_s + 0.5),
             ylim=(0, None), title="queue of the bottleneck")
    axes.legend(frameon=False, loc="best")


def draw_bars(axes, comparison, name, metric, title):
    """Mean as a bar, every round as a dot."""
    numbers = comparison.numbers[name]
    colour = colours(numbers)
    for place, label in enumerate(numbers):
        values = comparison.series(name, label, metric)
        if not values:
            continue
        middle = statistics.fmean(values)
        axes.bar(place, middle, 0.62, color=colour[label], alpha=0.55)
        axes.plot([place] * len(values), values, "o", color=colour[label], ms=4, mec="white",
                  mew=0.5)
        axes.annotate(f"{middle:,.4g}" if middle < 10000 else f"{middle:,.0f}",
                      (place, max(middle, *values)) if len(values) > 1 else (place, middle),
                      xytext=(0, 4), textcoords="offset points", ha="center", fontsize=7.5)
    axes.set_xticks(range(len(numbers)), list(numbers), fontsize=8)
    axes.set_title(title, fontsize=9)
    axes.grid(axis="x", visible=False)
    axes.margins(y=0.15)
    axes.set_ylim(0, None if axes.dataLim.y1 > 0 else 1)


def draw_flows(axes, comparison, name, label):
    """Stacked goodput of each flow in the first round."""
    result = comparison.runs[name][label][0]
    most = max(round(f["start_s"] or 0) + len(f["seconds"]) for f in result["flows"])
    layers = []
    for flow in result["flows"]:
        start = round(flow["start_s"] or 0)
        layer = [0.0] * start + flow["seconds"]
        layers.append(layer + [0.0] * (most - len(layer)))
    names = [f"{f['group']} {f['port']}" for f in result["flows"]]
    palette = pyplot.get_cmap("viridis")
    axes.stackplot(range(1, most + 1), layers, labels=names, alpha=0.85, lw=0.3,
                   edgecolor="white",
                   colors=[palette((i + 0.5) / len(layers)) for i in range(len(layers))])
    axes.set(xlabel="second", ylabel="goodput, Mbit/s", title=f"{label}: flows of round 1")


def scenario_picture(comparison, name, facts, file):
    """One picture with everything about one path."""
    labels = list(comparison.numbers[name])
    several = any(len(r["flows"]) > 1 for rounds in comparison.runs[name].values()
                  for r in rounds)
    figure = pyplot.figure(figsize=(12, 10.5 if several else 7.2), layout="constrained")
    grid = figure.add_gridspec(3 if several else 2, 1, height_ratios=[3, 2, 2.4][:3 if several
                                                                                  else 2])
    top = grid[0].subgridspec(1, 2)
    draw_seconds(figure.add_subplot(top[0]), comparison, name)
    draw_queue(figure.add_subplot(top[1]), comparison, name)
    shown = [b for b in BARS if several or b[0] != "jain"]
    middle = grid[1].subgridspec(1, len(shown))
    for place, (metric, title) in enumerate(shown):
        draw_bars(figure.add_subplot(middle[place]), comparison, name, metric, title)
    if several:
        below = grid[2].subgridspec(1, len(labels))
        first = None
        for place, label in enumerate(labels):
            first = figure.add_subplot(below[place], sharey=first)
            draw_flows(first, comparison, name, label)
    scenario = comparison.scenarios[name]
    rounds = max(len(r) for r in comparison.runs[name].values())
    figure.suptitle(f"{scenario.title}: {scenario.describe()}\n{facts}, {rounds} "
                    f"round{'s' if rounds != 1 else ''}", fontsize=11)
    figure.savefig(file, dpi=110)
    pyplot.close(figure)


def overview_picture(comparison, facts, file):
    """All scenarios in one picture: three measures side by side."""
    names = list(comparison.numbers)
    labels = list(dict.fromkeys(l for n in names for l in comparison.numbers[n]))
    colour = colours(labels)
    panels = (("utilisation_pct", "utilisation, %"), ("retransmitted_pct", "retransmitted, %"),
              ("queue_ms", "mean queue, ms"), ("jain", "Jain's index"))
    figure, all_axes = pyplot.subplots(1, len(panels), sharey=True, layout="constrained",
                                       figsize=(13, 1.8 + 0.22 * len(names) * (len(labels) + 1)))
    height = 0.8 / len(labels)
    for axes, (metric, title) in zip(all_axes, panels):
        for place, label in enumerate(labels):
            for row, name in enumerate(names):
                if label not in comparison.numbers[name]:
                    continue
                values = comparison.series(name, label, metric)
                if not values:
                    continue
                y = row + (place - (len(labels) - 1) / 2) * height
                axes.barh(y, statistics.fmean(values), height * 0.92, color=colour[label],
                          alpha=0.6, label=label if row == 0 else None)
                axes.plot(values, [y] * len(values), "|", color="black", ms=5, mew=0.8)
        axes.set_title(title, fontsize=9)
        axes.grid(axis="y", visible=False)
    all_axes[0].set_yticks(range(len(names)),
                           [comparison.scenarios[n].title for n in names])
    all_axes[0].set_ylim(len(names) - 0.4, -0.6)
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="upper right",
                  ncols=len(labels), frameon=False)
    figure.suptitle(f"All paths: bar is the mean, ticks are the rounds\n{facts}", fontsize=11)
    figure.savefig(file, dpi=110)
    pyplot.close(figure)


def write_all(comparison, facts, folder):
    """Every picture; the names of the files are returned."""
    files = []
    for name in comparison.numbers:
        files.append(f"{folder}/{name}.png")
        scenario_picture(comparison, name, facts, files[-1])
    if len(comparison.numbers) > 1:
        files.append(f"{folder}/overview.png")
        overview_picture(comparison, facts, files[-1])
    return files
