"""One picture: the time of a sum over n, a line for each number of GPUs, and the limit of each."""

from plots import style
from plots.read import side_data
from plots.read.figures import digits

PLACE = {"left": 0.085, "right": 0.8, "top": 0.8, "bottom": 0.115}
LOOKS = list(zip("#7a7a7a #0072B2 #D55E00 #009E73 #CC79A7".split(), "o s ^ D v".split()))


def limit_us(data, count, n, trip):
    """A launch, the bytes over all memories and, of several, a store's trip to GPU 0."""
    return 1e3 * data.empty_ms + (trip if count > 1 else 0) + n * 4 / count / data.peak / 1e3


def gpus(bench, path):
    data = side_data.load_multi_gpu(path)
    lines = {count: {n: 1e3 * ms for n, ms in sorted(data.times[key].items()) if n >= 2**10}
             for count in data.counts for key in [
                 (count, "single-pass" if count == 1 else "multi-gpu-peer", "int")] if key in data.times}
    last = max(lines)
    gains = {n: lines[1][n] / us for n, us in lines[last].items() if n in lines[1]}
    worth = next((n for n, gain in gains.items() if gain > 1.05), None)
    title = (f"{last} GPUs gain from {style.power(worth)} on" if worth else f"{last} GPUs gain nothing") + (
        f": {max(gains.values()):.2f} times as fast at most")
    picture = style.figure(bench._replace(meta=bench.meta | data.meta), "int", title,
                           "one launch on each GPU", "both scales log")
    axes = picture.subplots(gridspec_kw=PLACE)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    every = [us for line in lines.values() for us in line.values()]
    axes.set_xlim(min(lines[1]) / 1.5, max(lines[1]) * 1.5)
    axes.set_ylim(min(every) / 1.6, max(every) * 1.6)
    # what a store takes to the other GPU: seen where nothing else takes long
    least = min(lines[1])
    trip = min(us[least] - lines[1][least] for count, us in lines.items() if count > 1)
    ends = []
    for (count, line), (color, marker) in zip(lines.items(), LOOKS):
        look = style.look(color, marker, "-", filled=True)
        axes.plot([*line], [*line.values()], **look)
        ends.append((look, f"{count} GPU{'s' * (count > 1)}", max(line), line[max(line)]))
        if data.peak and data.empty_ms:
            axes.plot([*line], [limit_us(data, count, n, max(trip, 0)) for n in line], **style.LIMIT)
        nccl = data.times.get((count, "multi-gpu", "int"))
        if nccl and count == last:
            nccl = {n: 1e3 * ms for n, ms in sorted(nccl.items()) if n >= 2**10}
            look = style.look(color, marker, "--")
            axes.plot([*nccl], [*nccl.values()], **look)
            ends.append((look, f"{count}, NCCL", max(nccl), nccl[max(nccl)]))
    style.end_labels(axes, ends, 0.055)
    sizes = sorted({n for line in lines.values() for n in line if (n.bit_length() - 1) % 4 == 2})
    axes.set_xticks(sizes, [style.power(n) for n in sizes])
    low, high = axes.get_ylim()
    ticks = [2.0**k for k in range(2, 15) if low < 2.0**k < high]
    axes.set_yticks(ticks, [digits(tick) for tick in ticks])
    axes.text(0.02, 0.95, "dotted: a launch, the bytes over all memories\nand a store's trip to the first GPU",
              transform=axes.transAxes, color=style.QUIET, va="top")
    style.name(axes, "time, µs")
    return picture
