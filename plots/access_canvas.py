"""A picture of accesses in the making: strips of words and of threads, the lines between them, and
the marks on them."""

import collections

from plots import access_rounds, svg
from tutorial import trace_data

# ---- how it looks ----

WIDTH, LEFT, COLUMNS, RIGHT = 1540, 136, 768, 930  # COLUMNS: width of the strips; RIGHT: the text
CELL, STRIP = 12, 15                               # a thread or word, and how high strips are
MOST_THREADS, MOST_WORDS = 64, 256                 # in a strip, so that they can be seen
READ_GAP, WRITE_GAP, BARRIER_GAP, TEXT = 25, 15, 9, 20
# Warps by lightness and by hue (Okabe and Ito's blue and orange); what is written on them.
WARPS = (("#0072B2", "#fff"), ("#E69F00", "#1a1a1a"))
IDLE, RULE, QUIET, INK, MARK = "#d0d0d0", "#a8a8a8", "#595959", "#1a1a1a", "#9C0A3C"
FAINT = 0.2
BARRIERS = {"syncthreads": {"stroke": INK, "stroke_width": 2.4},
            "syncwarp": {"stroke": INK, "stroke_width": 1.6, "stroke_dasharray": "2 5"}}

Point = collections.namedtuple("Point", "x y")
Line = collections.namedtuple("Line", "start end warp")


def fill(warp):
    return WARPS[warp % len(WARPS)][0]


def ink(warp):
    return WARPS[warp % len(WARPS)][1]


# ---- a strip of words ----

class Strip:
    """Some words of one array side by side."""

    def __init__(self, array, words, y):
        self.array, self.words, self.y = array, words, y
        self.cell = min(CELL, COLUMNS / len(self.words))
        self.column = {word: i for i, word in enumerate(self.words)}

    def x(self, word):
        """The left edge of a word."""
        return LEFT + self.column[word] * self.cell

    def middle(self, access):
        """Of all words that an access touches; None if they are not shown."""
        words = trace_data.words(access)
        if words[0] not in self.column or words[-1] not in self.column:
            return None
        return (self.x(words[0]) + self.x(words[-1]) + self.cell) / 2

    def breaks(self):
        """The words before which others are left out."""
        return [right for left, right in zip(self.words, self.words[1:]) if right != left + 1]

    def label(self):
        name = f"array {self.array}" if self.array.isdigit() else self.array
        first, last = self.words[0], self.words[-1]
        which = "…" if self.breaks() else str(first) if first == last else f"{first}…{last}"
        text = f"{name}[{which}]"
        return text if len(text) <= 14 else name[:14]


def strip_for(picture, touches):
    """All words of a small array, else the sectors that are touched; those of the array's strip
    before when they are among them, so that neighbours stay neighbours."""
    array = touches[0].access.array
    count = -(-max(touch.access.array_bytes for touch in touches) // 4)
    touched = {word // 8 for touch in touches for word in trace_data.words(touch.access)}
    sectors = range(count // 8 + 1) if count <= MOST_THREADS else sorted(touched)
    before = picture.strips.get(array)
    if before and touched <= {word // 8 for word in before.words}:
        words = before.words
    else:
        words = [word for sector in sectors for word in range(8 * sector, 8 * sector + 8)
                 if word < count]
    picture.strips[array] = Strip(array, words, picture.y)
    return picture.strips[array]


# ---- a picture in the making ----

class Picture:
    """What has been drawn, down to y; beside it text down to text_y."""

    def __init__(self, block, warps):
        self.block, self.warps = block, warps        # the warps that are shown
        self.y, self.text_y = 0, 0
        self.parts, self.lines = [], []
        self.ends = collections.defaultdict(list)    # thread -> Points where its value is now
        self.used = set()                            # Points from which a value goes somewhere
        self.strips = {}                             # array -> its last Strip
        self.written = None                          # strip that the next round may read from
        self.registers = False                       # was a strip of threads drawn last?
        self.marks = set()                           # for the legend

    def add(self, *parts):
        self.parts += parts

    def say(self, y, *lines):
        """Lines of text beside the picture, at y or as soon as there is room."""
        y = max(y, self.text_y + TEXT + 2)
        for line in lines:
            self.add(line(RIGHT, y))
            y += TEXT
        self.text_y = y - TEXT
        self.y = max(self.y, self.text_y - TEXT)

    def lanes(self, warp):
        return access_rounds.lanes_of_warp(self.block, warp)

    def thread_x(self, thread):
        """The left edge of a thread."""
        return LEFT + (thread - 32 * self.warps[0]) * CELL


def move(picture, thread, end):
    """Lines from where the thread's value is to a new end, given as a Point."""
    picture.lines += [Line(start, end, thread // 32) for start in picture.ends[thread]]


def draw_lines(picture):
    """Behind everything else. A value that reaches no written word was computed in vain."""
    groups = collections.defaultdict(list)
    for line in reversed(picture.lines):
        below = Point(line.end.x, line.end.y + STRIP)
        useful = line.end in picture.used or below in picture.used
        if useful:
            picture.used.add(line.start)
        else:
            picture.marks.add("faint")
        groups[line.warp, useful].append((*line.start, *line.end))
    picture.parts[:0] = [
        svg.lines(lines, stroke=fill(warp), stroke_width=0.8, class_="access-lines",
                  stroke_opacity=None if useful else FAINT)
        for (warp, useful), lines in sorted(groups.items())]


# ---- strips ----

def grid(picture, x, cell, count, every, stroke):
    """The outline of a strip, and a rule every so many cells."""
    picture.add(
        svg.boxes([(x, picture.y, count * cell, STRIP)], fill="none", stroke=stroke,
                  stroke_width=0.8),
        svg.lines([(x + i * cell, picture.y, x + i * cell, picture.y + STRIP)
                   for i in range(every, count, every)], stroke=stroke, stroke_width=0.5))


def label(picture, words, write):
    picture.add(write(LEFT - 8, picture.y + 13, words, text_anchor="end"))


def draw_strip(picture, strip, touches, edge):
    """Words, at the place where the picture is, with their costs at the strip's edge."""
    draw_words(picture, strip, touches)
    mark_costs(picture, strip, touches, edge)
    picture.y += STRIP
    picture.registers = False


def draw_words(picture, strip, touches):
    """A word has the colour of the first warp that touches it."""
    owner = {}
    for touch in touches:
        for word in trace_data.words(touch.access):
            owner.setdefault(word, touch.thread // 32)
    for warp in picture.warps:
        picture.add(svg.boxes([(strip.x(word), strip.y, strip.cell, STRIP) for word in strip.words
                               if owner.get(word) == warp], fill=fill(warp), class_="access-words",
                              data_warp=str(warp)))
    grid(picture, LEFT, strip.cell, len(strip.words), 1 if strip.cell > 6 else 8, RULE)
    picture.add(svg.lines([(strip.x(word), strip.y - 3, strip.x(word), strip.y + STRIP + 3)
                           for word in strip.breaks()], stroke=INK, stroke_width=2,
                          stroke_dasharray="2 2", class_="access-break"))
    label(picture, strip.label(), svg.code)


def draw_threads(picture, active, busy):
    """Threads, with lines to those that are active. A warp that is not busy stays white."""
    for thread in active:
        move(picture, thread, Point(picture.thread_x(thread) + CELL / 2, picture.y))
    for warp in picture.warps:
        mine = [thread for thread in active if thread // 32 == warp]
        x, lanes = picture.thread_x(32 * warp), picture.lanes(warp)
        if warp in busy:
            picture.add(svg.boxes([(x, picture.y, lanes * CELL, STRIP)], fill=IDLE,
                                  class_="access-busy", data_idle=str(lanes - len(mine))))
        picture.add(svg.boxes([(picture.thread_x(thread), picture.y, CELL, STRIP)
                               for thread in mine], fill=fill(warp), class_="access-threads",
                              data_warp=str(warp), data_count=str(len(mine))))
        grid(picture, x, CELL, lanes, 1, "#fff" if warp in busy else RULE)
        numbers = [svg.text(picture.thread_x(thread) + CELL / 2, picture.y + 10.8, str(thread),
                            size=None)
                   for thread in mine]
        if numbers:
            picture.add(svg.element("g", "".join(numbers), fill=ink(warp), font_size=8,
                                    text_anchor="middle"))
    label(picture, "threads", svg.text)
    picture.y += STRIP


def now_in_registers(picture, threads):
    """The strip of threads just drawn is where the values of these are."""
    for thread in threads:
        picture.ends[thread] = [Point(picture.thread_x(thread) + CELL / 2, picture.y)]
    picture.registers = True


def mark_costs(picture, strip, touches, edge):
    """Frames around sectors of uncoalesced requests; diamonds at the strip's edge on words whose
    bank is wanted for another one, too."""
    requests = {id(touch.request): touch.request for touch in touches}
    crowded = {id(request): trace_data.conflicting_lanes(request) for request in requests.values()}
    frames = sorted({word // 8 for touch in touches if trace_data.is_uncoalesced(touch.request)
                     for word in trace_data.words(touch.access)})
    points = sorted({(strip.middle(touch.access), edge) for touch in touches
                     if touch.thread % 32 in crowded[id(touch.request)]})
    if frames:
        picture.marks.add("sector")
        picture.add(svg.boxes([(strip.x(8 * sector), strip.y - 2.5,
                                sum(word // 8 == sector for word in strip.words) * strip.cell,
                                STRIP + 5) for sector in frames], fill="none", stroke=MARK,
                              stroke_width=1.4, class_="access-sector",
                              data_count=str(len(frames))))
    if points:
        picture.marks.add("conflict")
        picture.add(svg.diamonds(points, 3.6, fill=MARK, stroke="#fff", stroke_width=0.6,
                                 class_="access-conflict", data_count=str(len(points))))
