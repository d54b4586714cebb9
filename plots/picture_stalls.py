"""One picture: why the warps of each step wait, a bar a step, of the machine's whole time."""

from plots import style
from plots.read import programs, side_data

N = 2**24
PLACE = {"left": 0.265, "right": 0.975, "top": 0.8, "bottom": 0.2}
# From the reasons that more instructions would not cure to those of the memory. The last is the sum of
# all that are not named.
REASONS = (("selected", "issues an instruction", "#0072B2"),
           ("not_selected", "not selected", "#56B4E9"), ("wait", "wait (fixed latency)", "#009E73"),
           ("barrier", "barrier", "#E69F00"),
           ("short_scoreboard mio_throttle", "short scoreboard, MIO throttle", "#CC79A7"),
           ("long_scoreboard lg_throttle", "long scoreboard", "#D55E00"), ("", "other", "#b0b0b0"))


def shares(data, step):
    """Of the time of a step's warps the part of each reason, in percent."""
    found = {name: data.median(of, n, name) for of, n, name in data if (of, n) == (step, N)
             and not name.endswith(("_ns", "_pct"))}
    parts = [sum(found.get(each, 0) for each in names.split()) for names, *_ in REASONS]
    total = sum(found.values())
    parts[-1] = total - sum(parts)
    return [100 * part / total for part in parts]


def stalls(bench, path):
    data = side_data.load_stalls(path)
    steps = list(dict.fromkeys(step for step, n, _ in data if n == N and step != "00"))
    busy = {step: data.median(step, N, "issue_pct") for step in steps}
    early = [busy[step] for step in steps[:4]]
    title = (f"Steps {steps[0]} to {steps[3]} use {min(early):.0f} to {max(early):.0f} % of the issue "
             f"slots, {steps[-1]} uses {busy[steps[-1]]:.0f} %")
    picture = style.figure(bench._replace(meta=bench.meta | data.table.comments), "int", title,
                           f"first launch, n = {style.power(N)}, Nsight Compute")
    axes = picture.subplots(gridspec_kw=PLACE)
    rows = range(len(steps), 0, -1)
    left = [0.0] * len(steps)
    parts = [shares(data, step) for step in steps]
    for k, (_, label, color) in enumerate(REASONS):
        widths = [part[k] for part in parts]
        axes.barh(rows, widths, 0.72, left, color=color, label=label, edgecolor="white")
        for row, width, start in zip(rows, widths, left):
            if width > 4.5:
                axes.text(start + width / 2, row, f"{width:.0f}", ha="center", va="center",
                          color="white" if color not in ("#56B4E9", "#E69F00") else style.INK)
        left = [start + width for start, width in zip(left, widths)]
    axes.set_yticks(rows, [f"{programs.label(step)}\n{data.median(step, N, 'duration_ns') / 1e3:.0f} µs, "
                           f"slots {busy[step]:.0f} % busy" for step in steps])
    style.name(axes, "what a step's warps do, % of their time", "")
    axes.grid(axis="y", visible=False)
    axes.set_xlim(0, 100)
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.06), ncols=4, frameon=False)
    return picture
