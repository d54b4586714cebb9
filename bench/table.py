"""The table at the end of a bench: of one type each program's ms and GB/s at 2^24 and at the largest n
and, where CUB was measured, the time of its fastest variant over the program's."""


def power(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def of_type(path, type):
    with open(path) as file:
        lines = file.read().splitlines()
    comments = dict(line[2:].split(": ", 1) for line in lines if line[:1] == "#")
    header, *rows = [line.split(",") for line in lines if line[:1] != "#"]
    rows = [dict(zip(header, row)) for row in rows]
    empty = next((row["median_ms"] for row in rows if row["name"] == "empty-launch"), 0)
    rows = [row for row in rows if row["type"] == type and row["name"] != "empty-launch"]
    of, cub = {}, {}  # {(step, name, block): {n: (ms, GB/s)}}, {n: ms of its fastest variant}
    for row in rows:
        n, ms = int(row["n"]), float(row["median_ms"])
        of.setdefault((row["step"], row["name"], row["block"]), {})[n] = ms, float(row["gb_per_s"])
        if row["name"].startswith("cub"):
            cub[n] = min(ms, cub.get(n, ms))
    sizes = sorted({max(int(row["n"]) for row in rows)} | {int(row["n"]) for row in rows} & {2**24})
    over = 7 * bool(cub)  # the width of that column

    def cells(ms, gb_per_s, n):
        ratio = cub[n] / ms if ms and n in cub else 0
        ratio = f"{ratio:.4f}" if 0 < ratio < 0.01 else f"{ratio:.2f}" if ratio else "-"
        figures = f" {ms:10.4f} {gb_per_s:7.1f}" if ms else f"{'-':>11}{'-':>8}"
        return figures + f"{ratio:>7}"[:over]

    # where one GPU is beside several, the first are all
    told = [f"{rows[0]['device']}, {type}, cold cache",
            f"peak {comments['peak_gb_per_s']} GB/s; an empty launch takes {float(empty):.4f} ms",
            " " * 28 + "".join(f"{'n = ' + power(n):>{19 + over}}" for n in sizes),
            f"step {'name':23}" + (f"{'ms':>11}{'GB/s':>8}" + f"{'x CUB':>7}"[:over]) * len(sizes)]
    told += [f"{step:4} {name:23.23}" + "".join(cells(*found.get(n, (0, 0)), n) for n in sizes)
             for (step, name, _), found in of.items()]
    return "\n".join(told) + "\n"
