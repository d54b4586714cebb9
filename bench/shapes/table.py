"""From what bench/shapes measured, the shape of single-pass for each n: shapes-int.h and its like.

From small n to large: a shape stays as long as it is as fast as the fastest, to half a percent or 80 ns,
two steps and a half of the events' clock; then, of those to half of that, the one that stays the longest
takes over. Behind a cluster, which not every GPU has, stands the best of the other ways.

Clusters of up to 8 blocks count for that, since every GPU that has clusters takes these. A larger one
stands in front of them, where it is ahead of all others by more than a percent."""

from tutorial import side_data
from tutorial.csv_input import read_table


def is_wide(shape):
    return shape.way == "group" and shape.blocks > 8


def one_of(shape):
    """Where the blocks are no constant, the same at each n."""
    return shape if shape.way == "group" else shape._replace(blocks=0)


class Sizes:
    """ms: [{shape: ms}] of each n, from small to large; wide: [the fastest wide one if it is ahead]."""

    def __init__(self, measured):
        self.n = sorted(measured)
        self.ms = [{one_of(shape): ms for shape, ms in measured[n].items() if not is_wide(shape)}
                   for n in self.n]
        self.wide = []
        for n, others in zip(self.n, self.ms):
            wide = {shape: ms for shape, ms in measured[n].items() if is_wide(shape)}
            first = min(wide, key=wide.get, default=None)
            self.wide.append(first if first and 1.01 * wide[first] < min(others.values()) else None)

    def is_near(self, shape, k, share):
        best = min(self.ms[k].values())
        return self.ms[k].get(shape, 9e9) <= best + share * (0.005 * best if best > 0.016 else 8e-5)

    def last(self, shape, k):
        """The last size up to which it stays, from the k-th on."""
        while k < len(self.n) and self.is_near(shape, k, 1):
            k += 1
        return k - 1

    def row(self, shape, k):
        group = shape.way == "group"
        most = self.n[k] if group or k + 1 < len(self.n) else "SIZE_MAX"
        if group and shape.blocks == 1:
            return f"ONE_BLOCK({most}, {shape.threads}, {shape.loads})"
        if group:
            return f"CLUSTER({most}, {shape.blocks}, {shape.threads}, {shape.loads})"
        way = {"wait": "WAITING", "ticket": "TICKETS"}[shape.way]
        return f"{way}({most}, {shape.threads}, {shape.loads})"

    def row_and_other(self, shape, k):
        """A shape up to the k-th size, and behind a cluster what takes its place."""
        others = {other: ms for other, ms in self.ms[k].items() if other.way != "group"}
        yield self.row(shape, k)
        if shape.way == "group" and shape.blocks > 1 and others:
            yield self.row(min(others, key=others.get), k)

    def rows(self):
        k = 0
        while k < len(self.n):
            near = [shape for shape in self.ms[k] if self.is_near(shape, k, 0.5)]
            shape = max(near, key=lambda shape: self.last(shape, k))
            last, wide = self.last(shape, k), [*self.wide, None]
            for i in range(k, last + 1):
                if wide[i]:
                    if i > k and not wide[i - 1]:
                        yield from self.row_and_other(shape, i - 1)  # it is for larger n alone
                    if i == last or wide[i + 1] != wide[i]:
                        yield self.row(wide[i], i)
            yield from self.row_and_other(shape, last)
            k = last + 1


def of_type(path, type):
    gpu = read_table(path, {}).comment("gpu")
    shapes = side_data.load_shapes(path).shapes
    rows = Sizes({n: of for (each, n), of in shapes.items() if each == type}).rows()
    return "\n".join([f"/* Made by `make bench-shapes`, see bench/shapes/table.py: as measured on an "
                      f"{gpu}. */", "static const struct shape shapes[] = {",
                      *(f"    {row}," for row in rows), "};\n"])
