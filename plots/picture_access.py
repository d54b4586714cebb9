"""The picture of a block's accesses, from top to bottom as its time goes.

A strip of words is an array, a strip of threads the block. Lines lead from the words that a thread
reads to the thread, and from there to the word that it writes; what reaches no word is faint. All
of it, the marks included, comes from the trace."""

import collections
import os
import re

import access_rounds
import svg
import trace_data
from access_rounds import Omitted

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What to see, below the title; blocks of 64 threads are meant. A program without one does without.
CAPTIONS = {
    "00-naive": "Neighbouring lanes read words that lie a whole piece apart: each in a sector of "
                "its own.",
    "01-neighbored-pairs": "In every round but the last, both warps are busy, with ever fewer of "
                           "their lanes.",
    "02-strided-index": "Working threads are packed into one warp; now two of its words share a "
                        "bank.",
    "03-sequential-addressing": "Neighbouring threads touch neighbouring words, one a bank; "
                                "every round still stops both warps.",
    "04-add-on-load": "All threads add once on the way in: 128 elements for the same tree.",
    "05-unroll-last-warp": "The last warp puts its own rounds in order; warp 1 waits for none of "
                           "them.",
    "06-thread-coarsening": "Each thread walks down the tile and adds in a register; then one "
                            "tree for all 1024 elements.",
    "07-warp-shuffle": "Lanes hand their registers down; only one word a warp goes through shared "
                       "memory.",
}

# ---- how it looks ----

WIDTH, LEFT, COLUMNS, RIGHT = 1280, 112, 768, 906  # COLUMNS: width of the strips; RIGHT: the text
CELL, STRIP = 12, 15                               # a thread or word, and how high strips are
MOST_THREADS, MOST_WORDS = 64, 256                 # in a strip
READ_GAP, WRITE_GAP, BARRIER_GAP, TEXT = 25, 15, 9, 16
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
                 if word < count][:MOST_WORDS]
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
    picture.add(write(LEFT - 8, picture.y + 11.5, words, text_anchor="end"))


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
            picture.add(svg.boxes([(x, picture.y, lanes * CELL, STRIP)], fill=IDLE, class_="access-busy",
                                  data_idle=str(lanes - len(mine))))
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
                     for word in trace_data.words(touch.access) if word in strip.column})
    points = sorted({(strip.middle(touch.access), edge) for touch in touches
                     if touch.thread % 32 in crowded[id(touch.request)]
                     and strip.middle(touch.access) is not None})
    if frames:
        picture.marks.add("sector")
        picture.add(svg.boxes([(strip.x(8 * sector), strip.y - 2.5,
                                sum(word // 8 == sector for word in strip.words) * strip.cell,
                                STRIP + 5) for sector in frames], fill="none", stroke=MARK,
                              stroke_width=1.4, class_="access-sector", data_count=str(len(frames))))
    if points:
        picture.marks.add("conflict")
        picture.add(svg.diamonds(points, 3.6, fill=MARK, stroke="#fff", stroke_width=0.6,
                                 class_="access-conflict", data_count=str(len(points))))


# ---- rounds ----

def by_array(touches):
    arrays = collections.defaultdict(list)
    for touch in touches:
        arrays[touch.access.array].append(touch)
    return list(arrays.values())


def shown_touches(picture, this, ops):
    return [touch for touch in access_rounds.touches(this, ops)
            if touch.thread // 32 in picture.warps]


READS, WRITES = ("load",), ("store", "atomic")


def draw_memory(picture, this, following):
    """following: the round after this one, which may read what this one writes."""
    reads, writes = (shown_touches(picture, this, ops) for ops in (READS, WRITES))
    if reads and can_read(picture.written, reads):
        for touch in reads:
            picture.ends[touch.thread].append(
                Point(picture.written.middle(touch.access), picture.written.y + STRIP))
        mark_costs(picture, picture.written, reads, picture.written.y + STRIP)
    else:
        for touches in by_array(reads):
            draw_source(picture, touches)
    picture.written = None
    if writes:
        picture.y += READ_GAP
        active = active_threads(picture, this)
        draw_threads(picture, active, this.warps)
        now_in_registers(picture, active)
        for touches in by_array(writes):
            draw_result(picture, touches, following)


def can_read(strip, reads):
    return strip and all(touch.access.array == strip.array
                         and strip.middle(touch.access) is not None for touch in reads)


def active_threads(picture, this):
    return sorted({32 * warp + lane for warp, requests in this.warps.items()
                   if warp in picture.warps for request in requests for lane in request.lanes})


def draw_source(picture, touches):
    """A strip of words that are read. A thread that reads word after word walks through them."""
    picture.y += READ_GAP - 5
    strip = strip_for(picture, touches)
    ends = collections.defaultdict(list)
    for touch in touches:
        x = strip.middle(touch.access)
        if x is not None:
            if touch.thread not in ends:
                move(picture, touch.thread, Point(x, strip.y))
            ends[touch.thread].append(Point(x, strip.y + STRIP))
    draw_words(picture, strip, touches)
    mark_costs(picture, strip, touches, strip.y + STRIP)
    picture.ends.update(ends)
    picture.y += STRIP
    picture.registers = False


def draw_result(picture, touches, following):
    """A strip of words that are written, from the strip of threads above it."""
    picture.y += WRITE_GAP
    nearby = shown_touches(picture, following, READS) if following else []
    array = touches[0].access.array
    strip = strip_for(picture, touches + [touch for touch in nearby
                                          if touch.access.array == array])
    for touch in touches:
        x = strip.middle(touch.access)
        if x is not None:
            move(picture, touch.thread, Point(x, strip.y))
            picture.used.add(Point(x, strip.y))
    draw_words(picture, strip, touches)
    mark_costs(picture, strip, touches, strip.y)
    for touch in touches:
        picture.ends.pop(touch.thread, None)
    picture.y += STRIP
    picture.written, picture.registers = strip, False


def draw_shuffle(picture, this):
    """From the lanes that give to those that get."""
    if not picture.registers:
        picture.y += READ_GAP
        everybody = [thread for warp in picture.warps if warp in this.warps
                     for thread in range(32 * warp, 32 * warp + picture.lanes(warp))]
        draw_threads(picture, [thread for thread in everybody if picture.ends[thread]], this.warps)
        now_in_registers(picture, everybody)
    picture.y += READ_GAP
    active = active_threads(picture, this)
    giving = {thread: list(ends) for thread, ends in picture.ends.items()}
    for warp in set(picture.warps) & this.warps.keys():
        for lane, source in this.warps[warp][0].lanes.items():
            if source is None:  # a vote or __reduce_*_sync: every lane's value counts
                picture.used.update(giving.get(32 * warp + lane, []))
            elif source != lane:
                picture.ends[32 * warp + lane] += giving.get(32 * warp + source, [])
        if this.warps[warp][0].op != "shuffle":
            x, y = picture.thread_x(32 * warp), picture.y - READ_GAP / 2
            picture.add(svg.lines([(x, y, x + picture.lanes(warp) * CELL, y)], stroke=fill(warp),
                                  stroke_width=4, class_="access-combine"))
    draw_threads(picture, active, this.warps)
    now_in_registers(picture, active)
    picture.written = None


def draw_barrier(picture, this):
    """A line: across everything for the block, across its lanes for a warp."""
    warps = [warp for warp in picture.warps if warp in this.warps]
    picture.y = max(picture.y + BARRIER_GAP, picture.text_y + TEXT - 2)
    spans = [(picture.thread_x(32 * warp), picture.thread_x(32 * warp + picture.lanes(warp)) - 4)
             for warp in warps]
    if this.kind == "syncthreads":
        picture.ends.clear()
        spans = [(12, RIGHT - 10)]
    picture.marks.add(this.kind)
    picture.add(svg.lines([(start, picture.y, end, picture.y) for start, end in spans],
                          class_=f"access-{this.kind}", **BARRIERS[this.kind]))
    count = plural(len(this.warps), "warp")
    who = f"of {count} together" if this.kind == "syncthreads" else f"within {count}"
    picture.say(picture.y + 4, lambda x, y: svg.code(x, y, f"__{this.kind}()") + svg.text(
        x + 118, y, who, fill=QUIET))


def draw_omission(picture, count):
    for ends in picture.ends.values():
        picture.used.update(ends)
    picture.ends.clear()
    picture.written, picture.registers = None, False
    picture.y = max(picture.y, picture.text_y - STRIP) + 24
    picture.add(svg.text(LEFT + COLUMNS / 2, picture.y, f"⋮   {count} more rounds like these   ⋮",
                         14, text_anchor="middle", fill=QUIET, class_="access-omitted"))
    picture.y += 2


# ---- words beside a round ----

def plural(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


def source_line(file, line):
    """Its text, cut to the room that there is; its number if the file is not here."""
    for path in file, os.path.join(ROOT, file):
        try:
            with open(path, encoding="utf-8") as source:
                text = source.read().splitlines()[line - 1].strip()
            return text if len(text) <= 50 else text[:49] + "…"
        except (OSError, UnicodeDecodeError, IndexError):
            continue
    return f"line {line}"


def work_text(block, this):
    active, lanes = access_rounds.lanes_at_work(block, this)
    return f"{plural(len(this.warps), 'warp')} busy, {active} of {lanes} lanes at work"


def figure_texts(block, this):
    """[(text, is it bad?)]"""
    good, bad = cost_texts(this)
    return [(work_text(block, this), False), *([(", ".join(good) + " a request", False)] if good
                                               else []), *((words, True) for words in bad)]


def cost_texts(this):
    """([text], [text of what is bad]): the dearest request to each space."""
    good, bad = [], []
    requests = [request for requests in this.warps.values() for request in requests]
    for space, noun, fewest, is_bad in (
            ("global", "sector", trace_data.fewest_sectors, trace_data.is_uncoalesced),
            ("shared", "wavefront", trace_data.fewest_wavefronts, trace_data.has_conflict)):
        found = [request for request in requests if request.space == space]
        if not found:
            continue
        worst = max(found, key=lambda request: (is_bad(request), getattr(request, noun + "s")))
        count, least = getattr(worst, noun + "s"), fewest(worst)
        if not is_bad(worst):
            good.append(plural(count, noun))
        elif space == "shared" and least == 1:
            bad.append(f"{count}-way bank conflict: {count} wavefronts a request")
        elif space == "shared":
            bad.append(f"bank conflicts: {count} wavefronts a request, not {least}")
        else:
            bad.append(f"uncoalesced: {count} sectors a request, not {least}")
    return good, bad


def describe(picture, y, this, previous, after_barrier):
    """The source line, who works, and what a request costs. What the round before has said
    already is not said again, but for the figures behind a barrier."""
    figures = figure_texts(picture.block, this)
    again = previous and (previous.file, previous.line) == (this.file, this.line)
    if again and not after_barrier and figures == figure_texts(picture.block, previous):
        return
    lines = [] if again else [
        lambda x, y: svg.code(x, y, source_line(this.file, this.line))]
    for words, bad in figures:
        look = {"font_weight": "bold", "fill": MARK} if bad else {"fill": QUIET}
        lines.append(lambda x, y, words=words, look=look: svg.text(x, y, words, **look))
    picture.say(y, *lines)


# ---- the whole picture ----

def title_of(name):
    return re.sub(r"^(\d\d) ", r"Step \1 · ", name.replace("-", " "))


def scope_text(block, warps):
    """What of the launch is shown."""
    text = f"block {block.number} of {block.blocks}, {plural(block.threads, 'thread')}"
    if len(warps) < len(block.warps):
        text += f"; {'warps' if len(warps) > 1 else 'warp'} {' and '.join(map(str, warps))} of "
        text += f"{len(block.warps)} drawn, figures of all"
    return text


def heading(picture, name):
    picture.add(svg.text(16, 38, title_of(name), 24, font_weight="bold"),
                svg.text(WIDTH - 16, 38, scope_text(picture.block, picture.warps), 13,
                         text_anchor="end", fill=QUIET))
    if name in CAPTIONS:
        picture.add(svg.text(16, 65, CAPTIONS[name], 17))
    for warp in picture.warps:
        lanes, x = picture.lanes(warp), picture.thread_x(32 * warp)
        picture.add(svg.boxes([(x, 84, lanes * CELL - 2, 20)], fill=fill(warp)),
                    svg.text(x + lanes * CELL / 2, 99,
                             f"warp {warp}: threads {32 * warp} to {32 * warp + lanes - 1}", 13,
                             text_anchor="middle", fill=ink(warp), font_weight="bold"))
    picture.y, picture.text_y = 104, 84


def legend(picture):
    """What the marks mean that occur."""
    x, y = LEFT, max(picture.y, picture.text_y) + 34
    first = fill(picture.warps[0])
    entries = [("box", first, "at work, or touched"), ("box", IDLE, "idle lane of a busy warp"),
               ("box", "#fff", "no work, or untouched")]
    entries += [(mark, None, words) for mark, words in (
        ("conflict", "bank conflict: words 32 apart share a bank"),
        ("sector", "sector (8 words), uncoalesced"),
        ("faint", "value that nobody uses"), ("syncthreads", "barrier of the block"),
        ("syncwarp", "barrier of one warp"))
        if mark in picture.marks]
    for kind, color, words in entries:
        if x + 28 + 7.2 * len(words) > WIDTH - 8:
            x, y = LEFT, y + 24
        picture.add(sample(kind, color, x, y), svg.text(x + 28, y + 12, words, 13))
        x += 46 + 7 * len(words)
    picture.y = y + 32


def sample(kind, color, x, y):
    if kind == "box":
        return svg.boxes([(x, y, 20, STRIP)], fill=color, stroke=RULE, stroke_width=0.8)
    if kind == "conflict":
        return svg.diamonds([(x + 10, y + 7.5)], 5, fill=MARK)
    if kind == "sector":
        return svg.boxes([(x, y, 20, STRIP)], fill="none", stroke=MARK, stroke_width=1.4)
    look = BARRIERS.get(kind, {"stroke": fill(0), "stroke_width": 0.8, "stroke_opacity": 2 * FAINT})
    return svg.lines([(x, y + 7.5, x + 22, y + 7.5)], **look)


def warps_shown(block, rounds):
    """As many as fit: their threads, and the sectors that they touch in a round."""
    warps = sorted(block.warps)[:MOST_THREADS // 32]
    while len(warps) > 1 and any(
            8 * len({word // 8 for touch in touches if touch.thread // 32 in warps
                     for word in trace_data.words(touch.access)}) > MOST_WORDS
            for this in rounds for touches in by_array(access_rounds.touches(this))):
        warps.pop()
    return warps


def draw(block, name):
    """The SVG."""
    rounds = access_rounds.of_block(block)
    picture = Picture(block, warps_shown(block, rounds))
    rounds = access_rounds.shortened(
        [this for this in rounds if any(warp in this.warps for warp in picture.warps)])
    heading(picture, name)
    previous, after_barrier = None, False
    for place, this in enumerate(rounds):
        if isinstance(this, Omitted):
            draw_omission(picture, this.rounds)
        elif this.kind in BARRIERS:
            draw_barrier(picture, this)
            after_barrier = True
        else:
            top = picture.y
            if this.kind == "shuffle":
                draw_shuffle(picture, this)
            else:
                draw_memory(picture, this, next_memory(rounds[place + 1:]))
            describe(picture, top + READ_GAP + 8, this, previous, after_barrier)
            previous, after_barrier = this, False
    draw_lines(picture)
    legend(picture)
    return svg.document(WIDTH, picture.y, title_of(name),
                        CAPTIONS.get(name, "Which thread touches which word in which round."),
                        picture.parts)


def next_memory(rounds):
    """The first of the rounds, barriers aside, if it touches memory."""
    for later in rounds:
        if isinstance(later, Omitted) or later.kind == "shuffle":
            return None
        if later.kind == "memory":
            return later
    return None
