"""The charts that bench/report.py draws of the stored results, into doc/charts/.

CHARTS is what there is: a file's name, the sections whose results it shows, and
the function that draws it.  A chart is a light card, so that it can be read on a
dark page too.  A digest of the results that it shows stands in each, by which
--check tells, without drawing, whether it is of the stored ones.
"""

import hashlib
import json
import os
import statistics
from collections import namedtuple

import store
from groups import by_group

Chart = namedtuple("Chart", "sections draw")

INK, QUIET, FAINT, CARD = "#1f2933", "#6b7785", "#dde3ea", "#ffffff"
OURS, THEIRS = "#0b7285", "#9aa5b1"
SHAPES = {"S": "#74c0c9", "M": "#2f9aa8", "L": "#0b6475", "XL": "#073642"}

STYLE = {
    "svg.hashsalt": "mpk", "svg.fonttype": "path", "font.family": "DejaVu Sans", "font.size": 9,
    "figure.facecolor": CARD, "axes.facecolor": CARD, "savefig.facecolor": CARD,
    "axes.edgecolor": FAINT, "axes.labelcolor": QUIET, "axes.titlecolor": INK, "text.color": INK,
    "xtick.color": QUIET, "ytick.color": QUIET, "axes.spines.top": False,
    "axes.spines.right": False, "axes.spines.left": False, "axes.axisbelow": True,
    "grid.color": FAINT, "grid.linewidth": 0.7,
}


def new_figure(rows, height, columns=1, width=9.0, **more):
    """A figure of so many axes, with room for a title."""
    from matplotlib import pyplot		# here, since --check does without it
    return pyplot.subplots(rows, columns, figsize=(width, height), layout="constrained", **more)


def title(figure, text, below):
    figure.suptitle("%s\n\n" % text, x=0.01, ha="left", fontsize=12.5, fontweight="bold")
    figure.text(0.0111, 1 - 0.36 / figure.get_figheight(), below, ha="left", va="top", fontsize=9,
                color=QUIET)


def times(value):
    return "%.0f×" % value if value >= 10 else "%.1f×" % value


# ---------------------------------------------------------------------------
# How many times as fast as jsonb
# ---------------------------------------------------------------------------

def draw_ratios(ratios):
    groups = by_group(ratios["results"])
    figure, axes = new_figure(1, 0.36 * len(groups) + 1.5)
    axes.set_xscale("log")
    axes.axvline(1, color=INK, linewidth=1)
    for place, (name, found) in enumerate(groups.items()):
        axes.axhline(place, color=FAINT, linewidth=0.7, zorder=0)
        for number, shape in enumerate(SHAPES):
            values = [ratio for of, ratio in found if of == shape]
            axes.scatter(values, [place + 0.12 * (number - 1.5)] * len(values), s=26,
                         color=SHAPES[shape], linewidths=0.5, edgecolors=CARD, zorder=3)
        middle = statistics.geometric_mean(ratio for _, ratio in found)
        axes.text(1.01, place, times(middle), transform=axes.get_yaxis_transform(), va="center",
                  fontweight="bold", color=OURS if middle >= 1 else INK)
    axes.set_yticks(range(len(groups)), groups, color=INK)
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.tick_params(length=0)
    low, high = axes.get_xlim()
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
             if low <= tick <= high]
    axes.set_xticks(ticks, ["as jsonb" if tick == 1 else "%g×" % tick for tick in ticks])
    axes.minorticks_off()
    axes.grid(axis="x")
    axes.spines["bottom"].set_visible(False)
    axes.text(1.01, -0.75, "mean", transform=axes.get_yaxis_transform(), va="bottom", color=QUIET)
    for number, (shape, about) in enumerate((("S", "S, 0.2 KB"), ("M", "M, 2 KB"), ("L", "L, 46 KB"),
                                             ("XL", "XL, 0.9 MB"))):
        axes.text(0.13 * number, -0.75, "● " + about, transform=axes.get_yaxis_transform(),
                  va="bottom", color=SHAPES[shape])
    title(figure, "How many times as fast as jsonb", "Each dot is an operation on documents of one size; "
          "right of the line msgpack is faster")
    return figure


# ---------------------------------------------------------------------------
# Bytes on disk
# ---------------------------------------------------------------------------

DISK = [("external", "not compressed (EXTERNAL)"), ("pglz", "compressed by pglz"),
        ("lz4", "compressed by lz4")]
ABOUT = {"S": "S, 0.2 KB", "M": "M, 2 KB", "L": "L, 46 KB", "XL": "XL, 0.9 MB", "country": "countries",
         "emoji": "emoji", "feature": "browser features", "city": "cities", "mdn": "all features, 21 MB",
         "cities": "all cities, 19 MB"}


def draw_sizes(sizes):
    shapes = list(dict.fromkeys(result["shape"] for result in sizes["results"]))
    figure, panels = new_figure(1, 0.3 * len(shapes) + 1.6, len(DISK), sharey=True)
    for axes, (storage, heading) in zip(panels, DISK):
        of = {result["shape"]: result for result in sizes["results"]
              if result["storage"] == storage}
        for place, shape in enumerate(shapes):
            if shape not in of:
                continue
            share = {name: of[shape][name] / of[shape]["jsonb"] for name in ("json", "msgpack")}
            axes.barh(place, share["msgpack"], height=0.62, color=OURS)
            axes.plot([share["json"]] * 2, [place - 0.36, place + 0.36], color=INK, linewidth=1.6)
            axes.text(0.03, place, "%.0f %%" % (100 * share["msgpack"]), va="center", color=CARD,
                      fontsize=8, fontweight="bold")
        axes.axvline(1, color=THEIRS, linewidth=1.2)
        axes.set_title(heading, loc="left", fontsize=9.5)
        axes.set_xlim(0, 1.35)
        axes.set_xticks([0, 0.5, 1], ["0", "half", "jsonb"])
        axes.tick_params(length=0)
        axes.spines["bottom"].set_visible(False)
    panels[0].set_yticks(range(len(shapes)), [ABOUT[shape] for shape in shapes], color=INK)
    panels[0].set_ylim(len(shapes) - 0.5, -0.6)
    title(figure, "Bytes on disk for one document, as a share of jsonb's",
          "Bars are msgpack, black marks are json")
    return figure


# ---------------------------------------------------------------------------
# How times grow
# ---------------------------------------------------------------------------

# What is shown of all that is measured: a case, over what, and its heading.
GROWING = [("text in", "map", "JSON text in"), ("#>> deep", "map", "a deep key, in memory"),
           ("#>> deep", "map in TOAST", "a deep key, out of line"),
           ("set", "map", "set one key"), ("hash", "map", "hash"),
           ("GIN look-up", "rows", "GIN look-up, among rows")]


def series(result, name):
    """The sizes and the times of a side; the last size is the largest, each a tenth of the next."""
    found = result[name + "_times"].split()
    sizes = [result["largest"] // 10 ** (len(found) - 1 - i) for i in range(len(found))]
    return zip(*((size, float(time)) for size, time in zip(sizes, found) if time != "-"))


def time_text(micro, _=None):
    for unit, most in (("ns", 1e-3), ("µs", 1), ("ms", 1e3), ("s", 1e6)):
        if micro < most * 999.5 or unit == "s":
            return "%g %s" % (float("%.2g" % (micro / most)), unit)
    return ""


def draw_growth(growth):
    of = {(result["case"], result["over"]): result for result in growth["results"]}
    shown = [(of[case, over], heading) for case, over, heading in GROWING if (case, over) in of]
    figure, panels = new_figure(2, 6.2, 3, sharey=True)
    for axes, (result, heading) in zip(panels.flat, shown):
        axes.set_xscale("log")
        axes.set_yscale("log")
        # the names stand in the corner that lines which grow leave free
        for name, color, height in (("jsonb", THEIRS, 0.94), ("msgpack", OURS, 0.84)):
            sizes, micro = series(result, name)
            axes.plot(sizes, micro, color=color, linewidth=2, marker="o", markersize=3.5,
                      clip_on=False)
            axes.text(0.03, height, "%s %s" % (name, time_text(micro[-1])), va="top", color=color,
                      transform=axes.transAxes, fontweight="bold")
        axes.set_title(heading, loc="left", fontsize=9.5)
        axes.set_xticks([10 ** i for i in range(1, 7)], ["10", "", "1,000", "", "100,000", ""])
        axes.set_xlim(8, 1.3e6)
        axes.yaxis.set_major_formatter(time_text)
        axes.minorticks_off()
        axes.tick_params(length=0)
        axes.grid()
    title(figure, "How times grow, from 10 to 1,000,000 entries of a document, or rows",
          "Both axes are logarithmic; the figures are the times at the right end")
    return figure


# ---------------------------------------------------------------------------
# The codec beside other libraries
# ---------------------------------------------------------------------------

PEERS = {"msgpuck": "#b08900", "mpack": "#a05195", "msgpack-c": "#9aa5b1"}


def draw_codec(codec):
    results = codec["results"]
    figure, axes = new_figure(1, 0.3 * len(results) + 1.6)
    axes.set_xscale("log")
    axes.axvline(1, color=OURS, linewidth=2)
    labels = []
    for place, result in enumerate(results):
        axes.axhline(place, color=FAINT, linewidth=0.7, zorder=0)
        for peer, color in PEERS.items():
            if result[peer] is not None:
                axes.scatter(result[peer] / result["mpk"], place, s=34, color=color, zorder=3,
                             linewidths=0.5, edgecolors=CARD)
        labels.append("%s, %s B" % (result["operation"], "{:,}".format(result["bytes"])))
        axes.text(1.01, place, "%s ns" % "{:,.0f}".format(result["mpk"]), va="center", color=OURS,
                  transform=axes.get_yaxis_transform(), fontweight="bold")
    axes.set_yticks(range(len(labels)), labels, color=INK)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    ticks = [0.25, 0.5, 1, 2, 4, 8, 16, 32]
    low, high = axes.get_xlim()
    axes.set_xticks([tick for tick in ticks if low <= tick <= high],
                    ["mpk's time" if tick == 1 else "%g×" % tick for tick in ticks
                     if low <= tick <= high])
    axes.minorticks_off()
    axes.tick_params(length=0)
    axes.grid(axis="x")
    axes.spines["bottom"].set_visible(False)
    for number, (peer, color) in enumerate(PEERS.items()):
        axes.text(0.16 * number, -0.75, "● " + peer, transform=axes.get_yaxis_transform(),
                  va="bottom", color=color)
    axes.text(1.01, -0.75, "mpk", transform=axes.get_yaxis_transform(), va="bottom", color=OURS)
    title(figure, "Other libraries' time for one document, in times of mpk's",
          "Right of the line mpk is faster; in C, without a server")
    return figure


CHARTS = {
    "ratios": Chart(("ratios",), draw_ratios),
    "sizes": Chart(("sizes",), draw_sizes),
    "growth": Chart(("growth",), draw_growth),
    "codec": Chart(("codec",), draw_codec),
}


# ---------------------------------------------------------------------------
# All of them
# ---------------------------------------------------------------------------

def digest(contents):
    """Of the results that a chart shows."""
    shown = json.dumps([content["results"] for content in contents], sort_keys=True)
    return "Of results with the digest " + hashlib.sha256(shown.encode()).hexdigest()[:16]


def content_of(path):
    """A file's, of one that is not there none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def save(chart, contents, path, mark):
    import matplotlib
    matplotlib.use("svg")
    with matplotlib.rc_context(STYLE):
        figure = chart.draw(*contents)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None,
                                                     "Description": mark})
        matplotlib.pyplot.close(figure)


def draw(folder, check):
    """The charts that are not as they should be; draws them unless told to check."""
    wrong = []
    for name, chart in CHARTS.items():
        contents = [store.load(section) for section in chart.sections]
        if None in contents:
            continue
        path, mark = os.path.join(folder, name + ".svg"), digest(contents)
        before = content_of(path)
        if not check:
            os.makedirs(folder, exist_ok=True)
            save(chart, contents, path, mark)
        if mark not in before if check else before != content_of(path):
            wrong.append("doc/charts/%s.svg" % name)
    return wrong
