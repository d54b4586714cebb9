"""make lab's page in a browser: each slide fits, keys do what they say, and what plays plays to its
end. (test_lab.py: what stands on them.)"""

import html
import json
import re
import shutil

import pytest

from harness import STEPS, run
from test_lab import played, section, written  # the last is a fixture

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
                None)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not CHROMIUM, reason="no Chromium here")]

# Keys, and the slide that each leads to
KEYS = ("End plot-stalls ArrowLeft plot-share Home ladder 7 step-07 d step-07-diff i step-07 "
        "2 step-02 s step-02-step g step-02-guess n step-02-now q step-02-question").split()

# Turns all slides by a key, plays what can be played, and writes down what is to be seen. Of a slide
# over: what reaches over its edges, into the bar of contents or over its cell; letters, code: the
# smallest letters of all of its text, and of code and figures; pictures: how large they are, 1 being
# their own size; answers: how many were seen one after the other; end: where it was played to.
PROBE = """<script>
const report = {errors: [], slides: {}, keys: [], width: innerWidth, height: innerHeight};
addEventListener("error", (event) => report.errors.push(event.message));
const press = async (key) => {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  await new Promise((done) => setTimeout(done, 20));
  return location.hash.slice(1);
};
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
  location.hash = slide.id;
  await press("");  // the address is looked at
  await press("Enter");
  for (let clicks = 0; clicks !== 99 && await press("ArrowRight") === slide.id; clicks++) {
    if (clicks % 10 === 4) measure(slide, told);
    told.end = [text(".say").split(" · ").at(-1), text(".round").split(",")[0]];
  }
};
addEventListener("load", async () => {
  await press("Home");
  for (const slide of document.querySelectorAll(".slide")) {
    const told = report.slides[slide.id] = {over: [], answers: 0, there: location.hash.slice(1)};
    measure(slide, told);
    for (let clicks = 0; clicks !== 40 && await press("ArrowRight") === slide.id; clicks++) {
      const open = slide.querySelectorAll(".later[open]").length;
      told.answers = open === told.answers + 1 ? open : told.answers;
    }
    if (slide.matches(".step")) await play(slide, told);
  }
  for (const key of KEYS) report.keys.push(await press(key));
  document.body.innerHTML = "<pre id='report'></pre>";
  document.getElementById("report").textContent = JSON.stringify(report);
});
</script></body>"""


def test_projected(written):
    """Nothing reaches over the edge, answers come one at a time, letters are large. A step is passed by,
    or plays to the sum."""
    file, page = written[0].with_name("probe.html"), written[1]
    file.write_text(written[0].read_text().replace(
        "</body>", PROBE.replace("KEYS", json.dumps(KEYS[::2]))))
    done = run(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,720",
               f"--user-data-dir={file.parent / 'profile'}", "--virtual-time-budget=60000",
               "--dump-dom", file.as_uri())
    report = json.loads(html.unescape(re.search(r"<pre id=.report.>(.*?)</pre>", done.stdout)[1]))
    scale = min(report["width"] / 1280, report["height"] / 720)  # the window has borders
    assert report["errors"] == []
    assert [*report["slides"]] == [node.get("id") for node in page.iter("section")]
    for id, slide in report["slides"].items():
        assert (slide["there"], slide["over"]) == (id, [])
        assert slide["answers"] == len(section(page, id).findall(".//details[@class='later']")), id
        assert slide.get("letters", 99) > scale * 15.99, id
        assert slide.get("pictures", 1) > scale * 0.9, id
        assert slide.get("code", 99) > scale * 21.99, id
    for step in STEPS:
        data = played(page, step)
        rounds, total = len(data["frames"]) - 1, sum(next(iter(data["arrays"].values()))["values"].values())
        assert report["slides"][f"step-{step}-step"]["end"] == [
            f"sum {total}, like the CPU's: verified", f"event {rounds} of {rounds}"]
    assert report["keys"] == KEYS[1::2]
