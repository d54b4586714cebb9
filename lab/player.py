"""The slide that plays a step: its code as HTML, and in JSON what player.js shows of it."""

import json
import re

from lab import code_slides
from tutorial import compare


def body(data, program):
    """data: of frames.of_block."""
    lines = (compare.Line(number, text, set()) for number, text in program.kernels)
    rows = "".join(f'<tr data-line="{line.number}">{code_slides.cell(line)}</tr>\n'
                   for line in lines)
    text = re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}",  # so that HTML leaves it
                  json.dumps(data, separators=(",", ":")))
    return f"""\
<div class="stage"><p class="note">It plays where scripts run.</p></div>
<div class="controls"><p class="say" role="status"></p><span class="round"></span></div>
<div class="below">
<table class="code"><tbody>
{rows}</tbody></table>
<table class="counts"><tbody></tbody></table>
</div>
<script type="application/json">{text}</script>"""


def size(data, program, source):
    """What is run, and how it differs from the program. source: what was run."""
    old, new = (dict(re.findall(r"^#define (\w+) +(\w+)", text, re.MULTILINE))
                for text in ("\n".join(program.code), source))
    other = [f"; {name} {new[name]}, not {old[name]}" for name in old if old[name] != new.get(name)]
    return (f"n = {len(data['arrays'][0]['values'])}, {data['threads']} threads" + "".join(other))
