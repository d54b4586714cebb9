"""A picture of accesses in the making: strips of words and of threads, the lines between them, the
marks on them, and the words around them. It is SVG without style sheets, identifiers and anything
from outside, so that it stands alone, and several stand in one HTML page."""

import collections
import textwrap
from xml.sax.saxutils import escape, quoteattr

from plots.read import trace_data
from plots.read.figures import plural

SANS = "system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
# As large as a slide at 1280 x 720 has room for, and its letters no smaller than a slide's.
# COLUMNS: width of the strips; RIGHT: the text.
WIDTH, HEIGHT, LEFT, COLUMNS, RIGHT = 1200, 606, 126, 600, 735
STRIP, TEXT = 11, 20                               # how high strips and lines of text are
BANKS, SLIT = 32, 2                                # of shared memory; between rows
# Warps by lightness and by hue (Okabe and Ito's blue and orange); what is written on them.
FILLS, INKS = ("#0072B2", "#E69F00"), ("#fff", "#1a1a1a")
IDLE, EMPTY, RULE, QUIET, INK, BAD = "#d0d0d0", "#fff", "#a8a8a8", "#595959", "#1a1a1a", "#9C0A3C"
# How text looks, and how many letters of it a line has
TEXTS = {"name": (50, {"font_weight": "bold"}), "caption": (56, {}),
         "code": (48, {"font_family": MONO}), "good": (56, {"fill": QUIET}),
         "bad": (50, {"fill": BAD, "font_weight": "bold"})}


# ---- SVG ----

def element(name, content="", **attributes):
    """Underscores of attribute names become hyphens."""
    text = "".join(f" {key.replace('_', '-')}="
                   + quoteattr(value if isinstance(value, str) else f"{value:g}")
                   for key, value in attributes.items())
    return f"<{name}{text}>{content}</{name}>" if content else f"<{name}{text}/>"


def text_at(x, y, words, size=16, **attributes):
    return element("text", escape(words), x=x, y=y, font_size=size, **attributes)


BOX, LINE = "M{0:g} {1:g}h{2:g}v{3:g}h-{2:g}z", "M{:g} {:g}L{:g} {:g}"


def path(form, places, **attributes):
    """Many boxes (x, y, width, height) or lines (x, y, x, y)."""
    return element("path", d="".join(form.format(*place) for place in places), **attributes)


# ---- what is drawn ----

# Of each mark what the legend says, and how it is drawn.
MARKS = {
    "work": ("at work, or touched", BOX, {"fill": FILLS[0]}),
    "empty": ("neither", BOX, {"fill": EMPTY, "stroke": RULE}),
    "idle": ("idle lane of a busy warp", BOX, {"fill": IDLE}),
    "conflict": ("bank conflict", BOX, {"fill": BAD}),
    "sector": ("uncoalesced 8-word sector", BOX,
               {"fill": "none", "stroke": BAD, "stroke_width": 1.4}),
    "syncthreads": ("barrier of the block", LINE, {"stroke": INK, "stroke_width": 2.4}),
    "syncwarp": ("barrier of one warp", LINE,
                 {"stroke": INK, "stroke_width": 1.6, "stroke_dasharray": "2 5"})}

def fill(warp):
    return FILLS[warp % len(FILLS)]


def boxes(cells, y, banks, cell):
    """{cell: (x, y, width, height)} of some words of one array, or some threads, side by side; of
    shared memory in rows of as many as there are banks, a bank below itself. cell: of a thread, how
    wide; many rows are lower."""
    columns = BANKS if banks else len(cells)
    height, slit = (STRIP, SLIT) if len(cells) <= 2 * columns else (cell / 3, SLIT / 2)
    width = min(cell, COLUMNS / columns)
    return {cell: (LEFT + i % columns * width, y + i // columns * (height + slit), width, height)
            for i, cell in enumerate(cells)}


def words_shown(touches):
    """Those of the sectors that are touched; of shared memory the rows, and those between them."""
    is_shared, count = touches[0].request.space == "shared", touches[0].access.words
    size = BANKS if is_shared else 8
    rows = {touch.access.word // size for touch in touches}
    return [word for row in (range(min(rows), max(rows) + 1) if is_shared else sorted(rows))
            for word in range(size * row, min(size * row + size, count))]


class Picture:
    """What has been drawn, down to y; beside it text down to text_y."""

    def __init__(self, threads, blank=False):
        self.threads = threads                       # warp -> its threads, of those that are shown
        self.blank = blank                           # without what one should find out
        self.cell = COLUMNS / BANKS / len(threads)   # how wide a thread is
        self.y, self.text_y = 24, -5
        self.parts = []
        self.lines = collections.defaultdict(list)   # warp -> (x, y, x, y)
        self.ends = collections.defaultdict(list)    # thread -> boxes where its value is now
        self.written = {}                            # array -> strip that may be read from next
        self.registers = None                        # strip of threads, if it was drawn last
        self.marks = {"work", "idle", "empty"}       # for the legend

    def mark(self, kind, places):
        _, form, look = MARKS[kind]
        if places:
            self.marks.add(kind)
            self.parts.append(path(form, places, **look))

    def lead(self, thread, box):
        """Lines from where the thread's value is to the middle of a box."""
        x, y, width, _ = box
        self.lines[thread // 32] += [(left + w / 2, top + h, x + width / 2, y)
                                     for left, top, w, h in self.ends[thread]]

    def span(self, warp):
        """Where its lanes begin and end."""
        left = LEFT + 32 * self.cell * list(self.threads).index(warp)
        return left, left + len(self.threads[warp]) * self.cell - 3

    # ---- strips ----

    def strip(self, label, colours, banks=False, **look):
        """Threads or words in their colours, {cell: colour}."""
        strip, self.registers = boxes(colours, self.y, banks, self.cell), None
        _, y, width, height = [*strip.values()][-1]
        for colour in dict.fromkeys(colours.values()):
            self.parts.append(path(
                BOX, [box for cell, box in strip.items() if colours[cell] == colour], fill=colour,
                stroke=RULE if colour == EMPTY else EMPTY, stroke_width=width / 20))
        self.parts.append(text_at(LEFT - 8, (self.y + y + height) / 2 + 6, label,
                                   text_anchor="end", **look))
        self.y = y + height
        return strip

    def words(self, touches):
        """A strip of them, to which the threads' values go. A word has the colour of the first warp
        that touches it. Frames are around sectors of uncoalesced requests, and the right half of
        words whose bank is wanted for another one, too, has another colour."""
        shown, array = words_shown(touches), touches[0].access.array
        colours = dict.fromkeys(shown, EMPTY)
        for touch in reversed(touches):
            colours[touch.access.word] = fill(touch.thread // 32)
        label = f"{array}[{shown[0]}…{shown[-1]}]" if len(shown) > 1 else f"{array}[{shown[0]}]"
        label = label if len(label) <= 12 else array[:12]
        banks = touches[0].request.space == "shared"
        if banks and "banks" not in self.marks:
            self.y += TEXT - 4
            self.marks.add("banks")
            self.parts += [text_at(LEFT + bank * self.cell, self.y - 3, f"bank {bank}", fill=INK,
                                    stroke=EMPTY, stroke_width=4, paint_order="stroke")
                           for bank in range(0, BANKS, 8)]
        strip = self.strip(label, colours, banks, font_family=MONO)
        for touch in touches:
            self.lead(touch.thread, strip[touch.access.word])
        for touch in touches:
            self.ends.pop(touch.thread, None)
        conflicts, sectors = ([strip[word] for _, word in places if not self.blank]
                              for places in trace_data.costly(touches))
        self.mark("sector", [(x, y - 2.5, 8 * width, STRIP + 5) for x, y, width, _ in sectors])
        self.mark("conflict", [(x + width / 2, y, width / 2, height)
                               for x, y, width, height in conflicts])
        return strip

    def block(self, active, busy):
        """A strip of its threads, with lines to those that are active. A warp that is not busy
        stays empty."""
        colours = {thread: IDLE if warp in busy else EMPTY
                   for warp, threads in self.threads.items() for thread in threads}
        colours |= {thread: fill(thread // 32) for thread in active}
        strip = self.registers = self.strip("threads", colours)
        for thread in active:
            self.lead(thread, strip[thread])
            self.ends[thread] = [strip[thread]]

    # ---- around the strips ----

    def omission(self, words):
        """Of rounds. Values go on in what is left out."""
        self.ends.clear()
        self.written, self.registers = {}, None
        self.y = max(self.y, self.text_y - STRIP) + 22
        self.parts.append(text_at(LEFT + COLUMNS / 2, self.y - 3, f"⋮   {words}   ⋮",
                                   text_anchor="middle", fill=QUIET))

    def say(self, y, lines):
        """Beside the picture, at y or as soon as there is room: [(words, a key of TEXTS)]."""
        self.text_y = max(y - TEXT, self.text_y + 2)
        for text, kind in lines:
            letters, look = TEXTS[kind]
            for words in textwrap.wrap(text, letters):
                self.text_y += TEXT
                self.parts.append(text_at(RIGHT, self.text_y, words, **look))
        self.y = max(self.y, self.text_y - TEXT)

    def heading(self, title, caption):
        self.say(17, [(title, "name"), (caption, "caption")])
        for warp, threads in self.threads.items():
            left, right = self.span(warp)
            words = f"warp {warp}: threads {threads[0]} to {threads[-1]}"
            self.parts += [path(BOX, [(left, 0, right - left, 22)], fill=fill(warp)),
                           text_at((left + right) / 2, 17, words, text_anchor="middle",
                                    fill=INKS[warp % len(INKS)], font_weight="bold")]

    def legend(self, scope):
        """What the marks mean that occur, and of what all of it is."""
        x, y = 10, max(self.y, self.text_y) + 12
        shown = [mark for kind, mark in MARKS.items() if kind in self.marks]
        for words, form, look in [*shown, (scope, None, {})]:
            left = 26 if form else 0
            room = left + 8.5 * len(words)
            if x + room > WIDTH:
                x, y = 10, y + 22
            if form:
                place = (x, y, 20, STRIP) if form == BOX else (x, y + 6, x + 22, y + 6)
                self.parts.append(path(form, [place], **look))
            self.parts.append(text_at(x + left, y + 12, words))
            x += room + 8
        self.y = y + 17

    def document(self, title, caption, block):
        scope = f"block 0 of {block.blocks}, {plural(block.threads, 'thread')}"
        if len(self.threads) < len(block.warps):
            scope += f"; {len(self.threads)} of {len(block.warps)} warps drawn, figures of all"
        self.legend(scope)
        parts = [element("title", escape(title)), element("desc", escape(caption)),
                 element("rect", width="100%", height="100%", fill="#fff"),
                 *(path(LINE, lines, stroke=fill(warp), stroke_width=0.8)
                   for warp, lines in sorted(self.lines.items())), *self.parts]
        return element("svg", "\n" + "\n".join(parts) + "\n", xmlns="http://www.w3.org/2000/svg",
                       viewBox=f"0 0 {WIDTH} {self.y:g}", width=WIDTH, height=self.y, role="img",
                       aria_label=title, font_family=SANS, fill=INK) + "\n"
