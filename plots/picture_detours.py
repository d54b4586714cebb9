"""One picture: the time of every program of the file, steps and detours, at one n."""

from tutorial import bench_data
from plots import style

SIZE = 2**24  # where launch and memory both count


def detours(bench, type):
    n = chosen_size(bench, type)
    keys = [key for key in bench_data.programs(bench, type)
            if n in bench_data.runs(bench, type, key)]
    keys.sort(key=lambda key: bench_data.run(bench, type, key, n).ms)
    limit = bench_data.limit_ms(bench, type, n)
    picture = style.figure(f"The sum of {style.power(n)} elements, {len(keys)} ways",
                           style.subtitle(bench, type, "steps dark, detours light, CUB hatched"))
    axes = picture.subplots()
    picture.subplots_adjust(left=0.26, right=0.975, top=0.8, bottom=0.03)
    size = min(style.SMALL, 330 / len(keys))  # points, so that many rows still have room
    for place, key in enumerate(keys):
        draw_time(axes, place, key, bench_data.run(bench, type, key, n).ms, limit, size)
    set_scales(axes, [bench_data.run(bench, type, key, n).ms for key in keys], limit)
    axes.set_yticks(range(len(keys)), [bench_data.label(bench, key) for key in keys], fontsize=size)
    axes.set_title(f"ms, and how many times the limit of {style.milliseconds(limit)} ms, which is "
                   "where the bars begin (log scale)", fontsize=style.SMALL, loc="left", pad=8)
    return picture


def chosen_size(bench, type):
    measured = bench_data.common_sizes(bench, type, bench_data.steps(bench, type))
    return SIZE if SIZE in measured else bench_data.largest_size(bench, type)


def draw_time(axes, place, key, ms, limit, size):
    """A bar from the limit, so that its length on the log scale is a ratio that means something."""
    axes.barh(place, ms - limit, left=limit, height=0.66, **style.bar(key))
    axes.annotate(f"{style.milliseconds(ms)}   {style.times(ms / limit)}", (max(ms, limit), place),
                  (7, 0), textcoords="offset points", va="center_baseline", fontsize=size)


def set_scales(axes, times, limit):
    """Room for the label right of the longest bar. Several GPUs may beat the limit of one."""
    axes.set_xscale("log")
    axes.set_xlim(min(limit, *times), limit * max(max(times) / limit, 2) ** 1.2)
    axes.set_ylim(len(times) - 0.4, -0.6)
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="y", length=0, pad=8)
