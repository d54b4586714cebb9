"""The slide that plays a step: its code as HTML, and in JSON the frames that page's player.js shows
one by one."""

import collections
import json
import re
from html import escape

from lab import code_slides
from lab.markup import code
from tutorial.figures import count

# threads: in the block; text: of the source that was run; arrays, frames: those of frames.py;
# total: the sum, verified by the program.
Play = collections.namedtuple("Play", "n threads text arrays frames total")


def body(play, program):
    kinds = code_slides.kinds_of(program)
    rows = "".join(f'<tr data-line="{number}"><td class="no">{number}</td><td class="text">'
                   f"{code(text, kinds[number - 1])}</td></tr>\n" for number, text in program.kernels)
    return f"""\
<div class="stage"><p class="note">It plays where scripts run.</p></div>
<p class="say" role="status"></p>
<div class="below">
<table class="code"><tbody>
{rows}</tbody></table>
<table class="counts"><tbody></tbody></table>
</div>
<div class="controls">
<button type="button" data-move="-1" aria-label="Round before">◂ <kbd>,</kbd></button>
<input type="range" min="0" max="{len(play.frames)}" value="0" aria-label="Round" />
<button type="button" data-move="1" aria-label="Next round"><kbd>.</kbd> ▸</button>
<span class="round"></span><span class="note">{escape(size(play, program))}</span>
</div>
<script type="application/json">{embedded(play)}</script>"""


def size(play, program):
    """What is run, and how it differs from the program."""
    old, new = (dict(re.findall(r"^#define (\w+) +(\w+)", text, re.MULTILINE))
                for text in ("\n".join(program.code), play.text))
    other = [f"; {name} {new[name]}, not {old[name]}" for name in old if old[name] != new.get(name)]
    return f"n = {play.n}, one block of {play.threads} threads" + "".join(other)


def embedded(play):
    """JSON that HTML and XML leave as it is."""
    index = {array.name: i for i, array in enumerate(play.arrays)}
    shown = [what for what, figure in play.frames[-1].counts.items()
             if figure or figure == 0 and what == "bank conflicts"]

    def of_frame(frame):
        def places(found):
            return [[index[name], *rest] for name, *rest in found]
        return frame._asdict() | {
            "reads": places(frame.reads), "writes": places(frame.writes),
            "conflicts": places(frame.conflicts), "sectors": places(frame.sectors),
            "counts": [count(frame.counts[what]) for what in shown]}

    data = {"threads": play.threads, "total": play.total, "counts": shown,
            "arrays": [array._asdict() for array in play.arrays],
            "frames": [of_frame(frame) for frame in play.frames]}
    text = json.dumps(data, separators=(",", ":"))
    return re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", text)
