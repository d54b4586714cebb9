"""From what make bench-shapes measured, the shape of single-pass for each n: shapes-int.h and its like.

From small n to large: a shape stays as long as it is as fast as the fastest, to half a percent or 80 ns,
two steps and a half of the events' clock; then, of those to half of that, the one that stays the longest
takes over. Behind a cluster, which not every GPU has, stands the best of the other ways.

Clusters of up to 8 blocks count for that, since every GPU that has clusters takes these. A larger one
stands in front of them, where it is ahead of all others by more than a percent."""

import itertools

from plots.read import side_data
from plots.read.csv_input import read_table


def row(shape, most):
    if shape.way == "group" and shape.blocks > 1:
        return f"CLUSTER({most}, {shape.blocks}, {shape.threads}, {shape.loads})"
    way = {"group": "ONE_BLOCK", "wait": "WAITING", "ticket": "TICKETS"}[shape.way]
    return f"{way}({most}, {shape.threads}, {shape.loads})"


def rows(measured):
    """measured: {n: {shape: ms}}."""
    sizes, every, wide = sorted(measured), [], []
    for n in sizes:
        # where the blocks are no constant, it is the same shape at each n
        found = {shape if shape.way == "group" else shape._replace(blocks=0): ms
                 for shape, ms in measured[n].items()}
        large = {shape: ms for shape, ms in found.items() if shape.blocks > 8}
        every.append({shape: ms for shape, ms in found.items() if shape not in large})
        first = min(large, key=large.get, default=None)
        wide.append(first if first and 1.01 * large[first] < min(every[-1].values()) else None)

    def is_near(shape, k, share):
        best = min(every[k].values())
        return every[k].get(shape, 9e9) <= best + share * (0.005 * best if best > 0.016 else 8e-5)

    def stays(shape, k):
        """At how many sizes, from the k-th on."""
        return len([*itertools.takewhile(lambda i: is_near(shape, i, 1), range(k, len(sizes)))])

    chosen = []
    while len(chosen) < len(sizes):
        k = len(chosen)
        near = [shape for shape in every[k] if is_near(shape, k, 0.5)]
        shape = max(near, key=lambda shape: stays(shape, k))
        chosen += [shape] * stays(shape, k)

    for (large, shape), same in itertools.groupby(range(len(sizes)), lambda i: (wide[i], chosen[i])):
        *_, last = same
        if large:
            yield row(large, sizes[last])
            if chosen[last + 1:last + 2] == [shape]:
                continue
        others = {other: ms for other, ms in every[last].items() if other.way != "group"}
        is_cluster = shape.way == "group" and shape.blocks > 1
        for each in (shape, *sorted(others, key=others.get)[:is_cluster]):
            is_last = each.way != "group" and last + 1 == len(sizes)
            yield row(each, "SIZE_MAX" if is_last else sizes[last])


def table_of(path, type):
    gpu = read_table(path, {}).comment("gpu")
    shapes, _ = side_data.load_shapes(path)
    measured = {n: of for (each, n), of in shapes.items() if each == type}
    return "\n".join(["/* Made by `make bench-shapes`, see plots/measure/shapes.py: as "
                      f"measured on an {gpu}. */", "static const struct shape shapes[] = {",
                      *(f"    {row}," for row in rows(measured)), "};\n"])
