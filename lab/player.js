// Plays a step: one round of one small block at a time. All that is shown is in the slide's JSON
// (frames.py says what a frame is). Lengths are in rem, of a stage that is 75 wide.
(() => {
  "use strict";
  const LANES = 32, CELL = 2.12, LEFT = 6.9, ROW = 1.3, SLIT = 0.3, GAP = 0.8, ROOM = 31.9;

  const LEGEND = [["at-work", "works, or is stored"], ["touched", "is loaded"],
                  ["idle", "idle lane of a busy warp"], ["conflicts", "bank conflict"],
                  ["sectors", "sector loaded for few of its words"], ["useless", "of no use"]];

  const element = (tag, parent, classes = "", text = "") => {
    const node = Object.assign(document.createElement(tag), { className: classes });
    node.textContent = text;
    return parent.appendChild(node);
  };

  const placed = (node, x, y, width = CELL, height = ROW) => {
    Object.assign(node.style, { left: `${x}rem`, top: `${y}rem`, width: `${width}rem`,
                                height: `${height}rem`, lineHeight: `${height - 0.1}rem` });
    return node;
  };

  // Rows of 32 cells; row: from one to the next; label: of the row that begins with this cell.
  const strip = (stage, top, size, row, label) => {
    const cells = [];
    for (let i = 0; i < size; i++) {
      const x = LEFT + (i % LANES) * CELL, y = top + Math.floor(i / LANES) * row;
      if (i % LANES === 0) placed(element("span", stage, "label", label(i)), 0, y, LEFT - 0.4,
                                  Math.min(row, ROW));
      cells.push(placed(element("span", stage, "cell"), x, y, CELL, Math.min(row, ROW)));
    }
    const middle = (i, edge) => ({ x: LEFT + (i % LANES + 0.5) * CELL,
                                   y: top + Math.floor(i / LANES) * row + edge * ROW });
    return { cells, middle, top, end: top + Math.ceil(size / LANES) * row };
  };

  const player = (slide) => {
    const data = JSON.parse(slide.querySelector("script").textContent);
    const stage = slide.querySelector(".stage"), slider = slide.querySelector("input");
    const rows = [...slide.querySelectorAll(".code tr")];
    stage.textContent = "";

    // ---- what is drawn once: lanes, input, threads, shared memory, result ----

    let y = 0;
    const numbers = strip(stage, y, LANES, 1.1, () => "lane, bank");
    numbers.cells.forEach((cell, i) => { cell.className = "number"; cell.textContent = i; });
    y = numbers.end;
    const strips = [];
    let threads;
    data.arrays.forEach((array, i) => {
      strips.push(strip(stage, y, array.words, array.words > 128 ? 1.15 : ROW + (i ? SLIT : 0),
                        (word) => `${array.name}[${word}]`));
      y = strips[i].end + GAP;
      if (i === 0) {
        threads = strip(stage, y, data.threads, ROW + SLIT, (thread) => `warp ${thread / LANES}`);
        y = threads.end + GAP;
      }
    });
    const states = data.frames[0].rows.map((_, warp) => placed(
        element("span", stage, "state"), LEFT, threads.middle(warp * LANES, 0).y, LANES * CELL));
    const height = y - GAP;
    stage.style.height = `${height}rem`;
    stage.insertAdjacentHTML("afterbegin", `<svg viewBox="0 0 75 ${height}"></svg>`);
    const svg = stage.firstElementChild;
    const legend = placed(element("span", stage, "legend"), LEFT + 2 * CELL, height - ROW - SLIT, 62);
    for (const [look, words] of LEGEND) {
      if (look in data.frames[0] && !data.frames.some((frame) => frame[look].length)) continue;
      element("span", legend, `cell warp0 ${look}`, look === "useless" ? "7" : "");
      element("span", legend, "", words);
    }

    // From which round on a word is of no use any more
    const spent = data.arrays.map(() => []);
    data.frames.forEach((frame, i) => [...frame.reads, ...frame.writes].forEach(
        ([array, word]) => { spent[array][word] = i + 1; }));

    const counts = data.counts.map((what) => {
      const row = element("tr", slide.querySelector(".counts tbody"));
      element("th", row, "", what);
      return element("td", row, "figure");
    });

    // As many lines of the source as fit, in letters as large as that allows.
    const widest = Math.max(...rows.map((row) => row.lastElementChild.textContent.length)) + 5;
    const letters = Math.max(1, Math.min(50 / widest / 0.605, (ROOM - height) / rows.length / 1.25));
    const fit = Math.floor((ROOM - height) / letters / 1.25);
    slide.querySelector(".code").style.fontSize = `${letters}rem`;

    // ---- a frame ----

    const line = (from, to) => `M${from.x} ${from.y}L${to.x} ${to.y}`;
    const arc = (from, to) => `M${from.x} ${from.y}Q${(from.x + to.x) / 2} ${from.y + 1.1} ` +
                              `${to.x} ${to.y}`;
    const lines = (frame) => {
      const paths = {};
      const add = (kind, thread, path) => {
        const name = `${kind} warp${Math.floor(thread / LANES) % 2}`;
        paths[name] = (paths[name] || "") + path;
      };
      const between = (array, word, thread) => strips[array].top < threads.top ?
          [strips[array].middle(word, 1), threads.middle(thread, 0)] :
          [threads.middle(thread, 1), strips[array].middle(word, 0)];
      const written = new Set(frame.writes.map((place) => place.slice(0, 3).join()));
      for (const place of frame.reads) {
        if (!written.has(place.join())) add("read", place[2], line(...between(...place)));
      }
      for (const place of frame.writes) add("write", place[2], line(...between(...place)));
      const useless = new Set(frame.useless);
      for (const [thread, from] of Object.entries(frame.gets)) {
        if (from !== Number(thread) && !useless.has(Number(thread))) {
          add("read", thread, arc(threads.middle(from, 1), threads.middle(thread, 1)));
        }
      }
      svg.innerHTML = Object.entries(paths).map(
          ([name, d]) => `<path class="${name}" d="${d}"></path>`).join("");
    };

    const fillWords = (now) => {
      data.arrays.forEach((array, i) => strips[i].cells.forEach((cell, word) => {
        cell.textContent = array.values[word] ?? "";
        cell.className = now > spent[i][word] && array.name !== "out" ? "cell spent" : "cell";
      }));
      data.frames.slice(0, now).forEach((frame) => frame.writes.forEach(
          ([array, word, , value]) => { strips[array].cells[word].textContent = value; }));
    };

    const mark = (frame) => {
      const warp = (thread) => `warp${Math.floor(thread / LANES) % 2}`;
      for (const [array, word, thread] of frame.reads) {
        strips[array].cells[word].classList.add("touched", warp(thread));
      }
      for (const [array, word, thread] of frame.writes) {
        strips[array].cells[word].classList.add("at-work", warp(thread));
      }
      for (const [array, word] of frame.conflicts) strips[array].cells[word].classList.add("conflicts");
      for (const [array, word] of frame.sectors) {
        for (let i = 0; i < 8; i++) {
          strips[array].cells[word + i].classList.add("sectors", i % 7 ? "inner" : i ? "last" : "first");
        }
      }
      const useless = new Set(frame.useless);
      threads.cells.forEach((cell, thread) => {
        const works = thread in frame.holds;
        cell.textContent = works ? frame.holds[thread] : "";
        cell.className = "cell " + (works ? `at-work ${warp(thread)}` : "idle");
        cell.classList.toggle("useless", useless.has(thread));
      });
    };

    let now = 0;
    const show = (wanted) => {
      now = Math.max(0, Math.min(data.frames.length, wanted));
      const frame = data.frames[now - 1], before = data.frames[now - 2];
      fillWords(now);
      svg.innerHTML = "";
      threads.cells.forEach((cell) => { cell.className = "cell"; cell.textContent = ""; });
      if (frame) {
        mark(frame);
        lines(frame);
      }
      states.forEach((state, warp) => {
        state.textContent = frame ? frame.rows[warp] ?? "" : "has not begun";
        state.hidden = !state.textContent;
      });
      const say = slide.querySelector(".say");
      say.textContent = frame ? "" : "Before the launch: the input is in global memory.";
      (frame ? frame.say : []).forEach(([text, look], i) =>
        element("span", say, look, (i ? " · " : "") + text));
      if (now === data.frames.length) element("strong", say, "", ` · sum ${data.total}, the CPU's, too: verified`);
      counts.forEach((cell, i) => {
        cell.textContent = frame ? frame.counts[i] : "";
        const old = before ? before.counts[i] : "0";
        cell.classList.toggle("warn", ![old, "–", ""].includes(cell.textContent));
      });
      const lit = rows.findIndex((row) => frame && Number(row.dataset.line) === frame.line);
      const first = Math.max(0, Math.min(lit - Math.floor(fit / 2), rows.length - fit));
      rows.forEach((row, i) => {
        row.hidden = i < first || i >= first + fit;
        row.classList.toggle("lit", i === lit);
      });
      slider.value = now;
      slide.querySelector(".round").textContent = `round ${now} of ${data.frames.length}`;
    };

    slider.addEventListener("input", () => show(Number(slider.value)));
    slider.addEventListener("pointerup", () => slide.focus({ preventScroll: true }));
    slide.addEventListener("play", (event) => show(now + event.detail));
    slide.addEventListener("click", (event) => {
      const button = event.target.closest("[data-move]");
      if (button) show(now + Number(button.dataset.move));
    });
    show(0);
  };

  document.querySelectorAll(".slide.step").forEach(player);
})();
