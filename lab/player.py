"""The slide that plays a step: its code as HTML, and in JSON the frames that page's player.js shows
one by one."""

import collections
import json
import re

from lab import code_slides
from tutorial import compare
from tutorial.figures import count

# threads: in the block; text: of the source that was run; arrays, frames: those of frames.py;
# total: the sum, verified by the program.
Play = collections.namedtuple("Play", "n threads text arrays frames total")


def body(play, program):
    kinds = code_slides.kinds_of(program)
    lines = (compare.Line(number, text, set()) for number, text in program.kernels)
    rows = "".join(f'<tr data-line="{line.number}">{code_slides.cell(line, kinds)}</tr>\n'
                   for line in lines)
    return f"""\
<div class="stage"><p class="note">It plays where scripts run.</p></div>
<div class="controls">
<p class="say" role="status"></p>
<input type="range" min="0" max="{len(play.frames)}" value="0" aria-label="Round" />
<span class="round"></span>
<button type="button" data-move="-1" aria-label="Round before">◂</button>
<button type="button" data-move="1" aria-label="Next round">▸</button>
</div>
<div class="below">
<table class="code"><tbody>
{rows}</tbody></table>
<table class="counts"><tbody></tbody></table>
</div>
<script type="application/json">{embedded(play)}</script>"""


def size(play, program):
    """What is run, and how it differs from the program."""
    old, new = (dict(re.findall(r"^#define (\w+) +(\w+)", text, re.MULTILINE))
                for text in ("\n".join(program.code), play.text))
    other = [f"; {name} {new[name]}, not {old[name]}" for name in old if old[name] != new.get(name)]
    return f"n = {play.n}, {play.threads} threads" + "".join(other)


def embedded(play):
    """JSON that HTML and XML leave as it is: with the numbers of arrays in place of their names,
    and of the counters those that are ever more than 0, as one reads them."""
    index = {array.name: i for i, array in enumerate(play.arrays)}
    shown = [what for what, figure in play.frames[-1].counts.items()
             if figure or figure == 0 and what == "bank conflicts"]
    frames = [frame._asdict() | {
        what: [[index[name], *rest] for name, *rest in getattr(frame, what)]
        for what in ("reads", "writes", "conflicts", "sectors")} | {
        "counts": [count(frame.counts[what]) for what in shown]} for frame in play.frames]
    text = json.dumps({"threads": play.threads, "total": play.total, "counts": shown,
                       "arrays": [array._asdict() for array in play.arrays], "frames": frames},
                      separators=(",", ":"))
    return re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)
