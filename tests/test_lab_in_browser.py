"""make lab's pages in a browser: each slide fits, keys do what they say, and what plays plays to its
end. (test_lab.py: what stands on them.)"""

import html
import json
import re
import shutil

import pytest

from harness import STEPS, run
from test_lab import played, section, tree, written  # the last two are fixtures

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
                None)

# Keys, and the slide that each leads to
KEYS = ("End plot-stalls ArrowLeft plot-share Home ladder 7 step-07 d step-07-diff i step-07 "
        "2 step-02 s step-02-step g step-02-guess n step-02-now q step-02-question d step-02-diff "
        "9 step-02-diff s step-02-step").split()

# Turns all slides by keys, plays what can be played, and writes down what is to be seen. Of a slide
# shown: how much of what it hides is seen after each key; over: what reaches over its edges, into
# the bar of contents or over its cell; letters, code: the smallest letters of all of its text, and of
# code and figures; pictures: how large they are, 1 being their own size.
PROBE = """<script>
const report = {errors: [], slides: {}, keys: [], width: innerWidth, height: innerHeight};
addEventListener("error", (event) => report.errors.push(event.message));
console.error = (...words) => report.errors.push(words.join(" "));
const wait = () => new Promise((done) => setTimeout(done, 20));
const press = async (key) => {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  await wait();
  return location.hash.slice(1);
};
const shown = () => [...document.querySelectorAll(".slide")].filter((s) => s.offsetParent);
const least = (told, what, px) => { told[what] = Math.min(told[what] || px, px); };
const measure = (slide, told) => {
  const box = slide.getBoundingClientRect();
  const floor = document.getElementById("contents").getBoundingClientRect().top;
  for (const node of slide.querySelectorAll("*")) {
    const {left, right, bottom, width} = node.getBoundingClientRect();
    const below = bottom > floor + 0.5 && !node.parentElement.closest(".scroll");
    if (width && (left + 0.5 < box.left || right > box.right + 0.5 || below)) {
      told.over.push(node.tagName + " " + node.textContent.slice(0, 30));
    }
    if (node.matches("img")) least(told, "pictures", width / node.naturalWidth);
    if (!node.offsetParent || ![...node.childNodes].some((n) => n.nodeType === 3 &&
                                                         n.data.trim())) continue;
    const px = parseFloat(getComputedStyle(node).fontSize);
    least(told, "letters", px);
    if (node.closest(".code td.text, .cell, .counts, .facts, .ladder")) {
      least(told, "code", px);
    }
  }
};
const play = async (slide, told) => {
  const text = (part) => slide.querySelector(part).textContent;
  told.first = text(".say");
  await press("ArrowRight");  // it is passed by
  told.passed = shown()[0] !== slide;
  location.hash = slide.id;
  await wait();
  await press("Enter");
  await press("ArrowRight");
  await press("Escape");  // left
  told.left = shown()[0] !== slide;
  await press("ArrowLeft");
  told.anew = text(".say");
  told.lit = [];  // of the events that are shown: [number, line, counted from 1]
  for (let clicks = 0; clicks !== 99; clicks++) {
    await press(clicks ? "ArrowRight" : "b");  // the last one turns the slide
    if (shown()[0] !== slide) break;
    const rows = [...slide.querySelectorAll(".lit")].filter((row) => !row.hidden);
    told.lit.push([Number(text(".round").split(" ")[1]),
                   ...rows.map((row) => Number(row.cells[0].textContent))]);
    if (clicks % 10 === 4) measure(slide, told);
  }
  location.hash = slide.id;
  await wait();
  await press("Enter");
  for (let clicks = 2; clicks < told.lit.length; clicks++) await press("ArrowRight");
  const result = [...slide.querySelectorAll(".stage .label")].at(-1);
  await press("ArrowRight");
  measure(slide, told);
  told.end = [result.nextElementSibling.textContent, text(".say").split(" · ").at(-1),
              text(".round").split(",")[0], result.textContent];
};
addEventListener("load", async () => {
  await press("Home");
  for (const [i, slide] of document.querySelectorAll(".slide").entries()) {
    const told = report.slides[slide.id] = {alone: shown().every((s) => s === slide), over: []};
    const later = [...slide.querySelectorAll(".later")];
    const onwards = () => press(["ArrowRight", "PageDown", " "][i % 3]);
    const seen = () => later.filter((node) => node.matches("details") ? node.open :
                                    getComputedStyle(node).visibility == "visible").length;
    told.shown = [seen()];
    while (seen() < later.length && told.shown.length < 9) {
      await onwards();
      told.shown.push(seen());
    }
    measure(slide, told);
    if (slide.matches(".step")) await play(slide, told);
    for (let scrolls = 0; shown()[0] === slide && scrolls !== 40; scrolls++) {
      const box = slide.querySelector(".scroll");
      told.unseen = box ? box.scrollHeight - box.scrollTop - box.clientHeight : 0;
      await onwards();
    }
  }
  if (document.getElementById("step-00")) {
    for (const key of KEYS) report.keys.push(await press(key));
  }
  document.getElementById("next").click();
  await wait();
  report.click = location.hash.slice(1);
  document.body.innerHTML = "<pre id='report'></pre>";
  document.getElementById("report").textContent = JSON.stringify(report);
});
</script></body>"""


def in_chromium(file, *options):
    return run(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
               f"--user-data-dir={file.parent / 'profile'}", *options, file.as_uri())


def browse(file, script, size):
    """The result of a script that is added to the page."""
    copy = file.with_name("probe.html")
    copy.write_text(file.read_text().replace("</body>", script))
    done = in_chromium(copy, f"--window-size={size}", "--virtual-time-budget=60000", "--dump-dom")
    return json.loads(html.unescape(re.search(r"<pre id=.report.>(.*?)</pre>", done.stdout)[1]))


needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="no Chromium here")


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("name", ["lab.html", "lab-more.html"])
def test_projected(written, name):
    """Nothing reaches over the edge, answers come one at a time, letters are large."""
    report = browse(written[0].with_name(name), PROBE.replace("KEYS", json.dumps(KEYS[::2])),
                    "1280,720")
    is_lesson = name == "lab.html"
    page_ = written[1] if is_lesson else written[2]
    scale = min(report["width"] / 1280, report["height"] / 720)  # the window has borders
    assert report["errors"] == []
    assert [*report["slides"]] == [node.get("id") for node in page_.iter("section")]
    for id, slide in report["slides"].items():
        answers = len(section(page_, id).findall(".//details[@class='later']"))
        assert slide["shown"] == [*range(answers + 1)], id  # an answer by each key
        assert answers or not id.endswith("-question")
        assert (slide["alone"], slide["over"]) == (True, []) and slide["unseen"] < 2, id
        assert slide.get("letters", 99) > scale * 15.99, id
        assert slide.get("pictures", 1) > scale * 0.9, id
        assert not is_lesson or slide.get("code", 99) > scale * 21.99, id
    if is_lesson:
        check_played(page_, report["slides"])
        assert report["keys"] == KEYS[1::2]
        assert report["click"] == "step-02-question"  # it has been played to its end


def check_played(tree, slides):
    """Turning the slides passes the player by. It can be left at once, and then begins anew. Each event
    shows the line that runs, and the last one the sum where the kernel has it."""
    for step in STEPS:
        data, seen = played(tree, step), slides[f"step-{step}-step"]
        rounds = len(data["frames"]) - 1
        total = sum(next(iter(data["arrays"].values()))["values"].values())
        assert all(data["frames"][number]["line"] == line for number, line in seen["lit"])
        assert len(seen["lit"]) == (10 if step == "00" else rounds)  # 32 events are passed by
        assert seen["passed"] and seen["left"] and seen["anew"] == seen["first"]
        assert seen["first"].startswith("Before the launch")
        assert seen["end"] == [str(total), f"sum {total}, like the CPU's: verified",
                               f"event {rounds} of {rounds}", "out[0]" if step == "00" else "sums[0]"]
        assert [*data["arrays"]][-1] == ("out" if step == "00" else "sums")


@pytest.mark.slow
@needs_chromium
def test_printed(written, tree, tmp_path):
    """A slide a page, long code two; but none that tells what came."""
    in_chromium(written[0], f"--print-to-pdf={tmp_path / 'lab.pdf'}", "--no-pdf-header-footer")
    pages = re.findall(rb"/Type */Page\b", (tmp_path / "lab.pdf").read_bytes())
    slides = [node for node in tree.iter("section")
              if node.get("data-view") not in ("now", "step", "picture")]
    assert len(slides) <= len(pages) <= len(slides) + len(tree.findall(".//div[@class='scroll']"))
