"""What is drawn on the lab page before a step needs it: threads and memories, requests, a tree,
loads in flight. From nothing to HTML; lengths are pixels of a slide 1240 wide."""

from html import escape

CELL, LEFT = 28, 185


def words(x, y, said, look=""):
    """look: classes, such as middle."""
    return f'<text x="{x}" y="{y}" class="{look}">{escape(said)}</text>'


def box(x, y, width, height, said="", look=""):
    """With words in its middle."""
    return (f'<rect x="{x}" y="{y}" width="{width}" height="{height}" class="{look}"></rect>' +
            (words(x + width / 2, y + height / 2 + 8, said, f"middle {look}") if said else ""))


def line(x1, y1, x2, y2, look=""):
    return f'<path d="M{x1} {y1}L{x2} {y2}" class="{look}"></path>'


def row(x, y, texts, look=""):
    """Cells side by side."""
    return "".join(box(x + i * CELL, y, CELL, 32, str(said), f"{look} narrow")
                   for i, said in enumerate(texts))


def drawn(height, about, *parts, said="", **terms):
    """A slide's body: a picture, and below it what is said, or what its words mean."""
    means = "".join(f"<div><dt>{term.replace('_', ' ')}</dt><dd>{text}</dd></div>"
                    for term, text in terms.items())
    return (f'<div class="body drawn"><svg class="sketch" viewBox="0 0 1240 {height}" role="img" '
            f'aria-label="{escape(about)}">{"".join(parts)}</svg>'
            f'{said or f"<dl>{means}</dl>"}</div>')


def threads():
    lanes = range(32)
    block = [words(0, 24, "block 0", "strong")]
    for warp in range(2):
        block += [words(0, 75 + 62 * warp, f"warp {warp}"),
                  row(90, 52 + 62 * warp, lanes, f"warp{warp}")]
    other = [words(1010, 24, "block 1 …", "strong"), box(1010, 52, 230, 32, "warp 0", "warp0"),
             box(1010, 114, 230, 32, "warp 1", "warp1")]
    return drawn(
        330, "Blocks of warps of lanes, and the memories that they see", *block, *other,
        words(540, 44, "lanes", "middle"),
        box(0, 166, 986, 44, "shared memory of block 0"),
        box(1010, 166, 230, 44, "of block 1"),
        box(0, 222, 1240, 44, "L2 cache"),
        box(0, 278, 1240, 44, "global memory: all threads of all blocks see it"),
        thread="executes the kernel, with local variables of its own: its <b>registers</b>",
        warp="32 neighbouring threads; on one path, one instruction serves all of them",
        lane="one of a warp’s 32 threads",
        block="threads with a <b>shared memory</b>, declared <code>__shared__</code>; it runs on "
              "one multiprocessor",
        in_flight="a load that was sent to memory and is not answered yet, for hundreds of cycles",
        diverge="lanes take different paths, and the warp executes one path after the other")


def requests():
    def at(lane):
        return LEFT + CELL * lane + CELL / 2
    return drawn(
        400, "Lanes that read neighbouring words need four sectors; two words of one bank wait",
        words(0, 24, "a warp’s lanes"), row(LEFT, 0, range(32), "warp0"),
        *(line(at(lane), 34, at(lane), 78) for lane in range(32)),
        words(0, 104, "global memory"), row(LEFT, 80, [""] * 32),
        *(box(LEFT + 8 * CELL * i, 80, 8 * CELL, 32, "", "thick") for i in range(4)),
        *(words(LEFT + 8 * CELL * (i + 0.5), 138, f"sector {i}", "middle") for i in range(4)),
        words(1092, 104, "4 sectors"),
        words(0, 204, "two lanes"), row(LEFT, 180, range(2), "warp0"),
        words(0, 304, "shared memory"), row(LEFT, 280, range(32), "word"),
        row(LEFT, 314, range(32, 64), "word"),
        line(at(0), 214, at(0), 278), line(at(1), 214, at(0) + 9, 316),
        words(LEFT, 378, "bank 0"), words(LEFT + 32 * CELL, 378, "bank 31", "end"),
        words(1092, 304, "2 wavefronts"),
        request="an instruction that accesses memory, executed by a warp",
        sector="32 bytes, the unit in which global memory is read",
        bank="shared memory has 32; word w lies in bank w mod 32, and a bank serves one word at a "
             "time",
        wavefront="one pass through shared memory, in which each bank serves one word")


def tree():
    values, places = [3, 1, 7, 0, 4, 1, 6, 3], [120 + 110 * i for i in range(8)]
    parts = []
    for number in range(4):
        y = 20 + 100 * number
        parts += [box(x - 32, y, 64, 40, str(value), "warp0") for x, value in zip(places, values)]
        values = [a + b for a, b in zip(values[::2], values[1::2])]
        below = [(a + b) / 2 for a, b in zip(places[::2], places[1::2])]
        if below:
            parts += [line(x, y + 40, below[i // 2], y + 100) for i, x in enumerate(places)]
            parts += [line(0, y + 70, 1010, y + 70, "barrier"), words(1030, y + 78, "barrier"),
                      words(1030, y + 128, f"round {number + 1}")]
        places = below
    return drawn(370, "Eight numbers, added in pairs in three rounds", *parts,
                 tree="log2(n) rounds instead of n − 1 additions one after the other",
                 barrier="<code>__syncthreads()</code>: no thread of the block passes it until all "
                         "have reached it. Between blocks there is none: a <b>second launch</b> "
                         "begins when the first has ended.")


def loads(said):
    """said: HTML, what NOTES.md says of it."""
    parts, y = [], 0
    for count in (1, 4):
        parts.append(words(0, y + 26, f"{count} in flight"))
        for turn in range(2):
            x = 150 + turn * (420 + 14 * count)
            parts += [box(x + 14 * i, y + 20 * i, 330, 18, "", "warp0") for i in range(count)]
            parts.append(box(x + 330 + 14 * count, y, 60, 20 * count - 2, "", "warp1"))
        y += 20 * count + 24
    parts += [box(1110, 0, 40, 18, "", "warp0"), words(1160, 17, "load"),
              box(1110, 40, 40, 18, "", "warp1"), words(1160, 57, "add"), words(1110, 97, "time →")]
    return drawn(y, "Loads of a thread over time", *parts, said=said)
