// Plays a step: one round of one small block at a time. All that is shown is in the slide's JSON
// (frames.py says what a frame is). Lengths are in rem, on a stage that is 77.5 wide.
(() => {
  "use strict";
  const LANES = 32, CELL = 2.23, LEFT = 6.1, ROW = 1.5, LOW = 1.4, SLIT = 0.2, GAP = 0.6;
  const ROOM = 36.5, LINE = 1.65;  // for stage and source; a line of the source
  const LEGEND = [["at-work", "works, or is stored"], ["touched", "is loaded"],
                  ["idle", "idle lane of a busy warp"], ["conflicts", "bank conflict"],
                  ["sectors", "sector loaded for few of its words"],
                  ["useless", "value that nobody uses"]];

  const element = (tag, parent, classes = "", text = "") => {
    const node = Object.assign(document.createElement(tag), { className: classes });
    node.textContent = text;
    return parent.appendChild(node);
  };

  const placed = (node, x, y, width, height) => {
    const lengths = { left: x, top: y, width, height, lineHeight: height };
    for (const [name, rem] of Object.entries(lengths)) node.style[name] = `${rem}rem`;
    return node;
  };

  const warpOf = (thread) => `warp${Math.floor(thread / LANES) % 2}`;

  // ---- what is drawn once ----

  // Rows of 32 cells, of this height and so far apart; label: of the row that begins with a cell.
  const strip = (stage, top, size, height, apart, label) => {
    const place = (i) => [LEFT + (i % LANES) * CELL,
                          top + Math.floor(i / LANES) * (height + apart)];
    const cells = [...Array(size).keys()].map((i) => {
      const [x, y] = place(i);
      if (i % LANES === 0) {
        placed(element("span", stage, "label", label(i)), 0, y, LEFT - 0.4, height);
      }
      return placed(element("span", stage, "cell"), x, y, CELL, height);
    });
    const at = (i, edge) => `${place(i)[0] + CELL / 2} ${place(i)[1] + edge * height}`;
    return { cells, at, top, end: place(size - 1)[1] + height };
  };

  // Lanes, input, threads, shared memory, result, from top to bottom.
  const draw = (stage, data) => {
    stage.innerHTML = "<svg></svg>";
    const numbers = strip(stage, 0, LANES, 1.4, 0, () => "lane");
    numbers.cells.forEach((cell, i) => { cell.className = "number"; cell.textContent = i; });
    let y = numbers.end, threads;
    const arrays = data.arrays.map(({ name, words }, i) => {
      const [height, apart] = i ? [ROW, SLIT] : [words > 4 * LANES ? LOW : ROW, 0];
      const drawn = strip(stage, y, words, height, apart, (word) => `${name}[${word}]`);
      y = drawn.end + GAP;
      if (i === 0) {
        threads = strip(stage, y, data.threads, ROW, SLIT, (thread) => `warp ${thread / LANES}`);
        y = threads.end + GAP;
      }
      return drawn;
    });
    const height = y - GAP, svg = stage.firstElementChild;
    stage.style.height = `${height}rem`;
    svg.setAttribute("viewBox", `0 0 77.5 ${height}`);
    const states = data.frames[0].rows.map((_, warp) => placed(
        element("span", stage, "state"),
        LEFT, threads.top + warp * (ROW + SLIT), LANES * CELL, ROW));
    const legend = element("span", stage, "legend");
    explain(placed(legend, LEFT + 2 * CELL, height - ROW, 62, ROW), data);
    return { arrays, threads, states, svg, height };
  };

  // The marks that occur.
  const explain = (legend, data) => {
    for (const [look, words] of LEGEND) {
      if (look in data.frames[0] && !data.frames.some((frame) => frame[look].length)) continue;
      element("span", legend, `cell warp0 ${look}`, look === "useless" ? "7" : "");
      element("span", legend, "", words);
    }
  };

  // As many lines of the source as there is room for; a function that lights one of them.
  const source = (slide, room) => {
    const rows = [...slide.querySelectorAll(".code tr")];
    const wrapped = rows.filter((row) => row.lastElementChild.textContent.length > 62).length;
    const fit = Math.floor(room / LINE) - wrapped;
    return (line) => {
      const lit = rows.findIndex((row) => row.dataset.line == line);
      const first = Math.max(0, Math.min(lit - Math.floor(fit / 2), rows.length - fit));
      rows.forEach((row, i) => {
        row.hidden = i < first || i >= first + fit;
        row.classList.toggle("lit", i === lit);
      });
    };
  };

  // ---- a round ----

  // Lines between words and threads, and between lanes that hand on registers.
  const lines = ({ reads, writes, gets, useless }, { arrays, threads, svg }) => {
    const path = (kind, thread, d) => `<path class="${kind} ${warpOf(thread)}" d="${d}"></path>`;
    const between = (kind) => ([array, word, thread]) => {
      const above = arrays[array].top < threads.top;
      return path(kind, thread, `M${arrays[array].at(word, Number(above))}` +
                                `L${threads.at(thread, Number(!above))}`);
    };
    const written = new Set(writes.map((place) => place.slice(0, 3).join()));
    const arcs = Object.entries(gets).map(([thread, from]) => [Number(thread), from]).filter(
        ([to, from]) => from !== to && !useless.includes(to)).map(([to, from]) => {
      const [x, y] = threads.at((from + to) / 2, 1).split(" ").map(Number);
      return path("read", to, `M${threads.at(from, 1)}Q${x} ${y + 1.1} ${threads.at(to, 1)}`);
    });
    svg.innerHTML = [...reads.filter((place) => !written.has(place.join())).map(between("read")),
                     ...writes.map(between("write")), ...arcs].join("");
  };

  // What lies in memory after so many rounds; grey is what no later round touches.
  const fill = ({ arrays, threads }, data, now) => {
    const touched = data.frames.map((frame) => [...frame.reads, ...frame.writes]);
    const needed = new Set(touched.slice(Math.max(0, now - 1)).flat().map(
        ([array, word]) => `${array} ${word}`));
    data.arrays.forEach(({ name, values }, i) => arrays[i].cells.forEach((cell, word) => {
      cell.textContent = values[word] ?? "";
      cell.className = needed.has(`${i} ${word}`) ? "cell" : "cell spent";
    }));
    for (const { writes } of data.frames.slice(0, now)) {
      for (const [array, word, , value] of writes) arrays[array].cells[word].textContent = value;
    }
    threads.cells.forEach((cell) => { cell.className = "cell"; cell.textContent = ""; });
  };

  const mark = (frame, { arrays, threads }) => {
    const add = (array, word, ...looks) => arrays[array].cells[word].classList.add(...looks);
    for (const [array, word, thread] of frame.reads) add(array, word, "touched", warpOf(thread));
    for (const [array, word, thread] of frame.writes) add(array, word, "at-work", warpOf(thread));
    for (const [array, word] of frame.conflicts) add(array, word, "conflicts");
    for (const [array, word] of frame.sectors) {
      for (let i = 0; i < 8; i++) {
        add(array, word + i, "sectors", i % 7 ? "inner" : i ? "last" : "first");
      }
    }
    threads.cells.forEach((cell, thread) => {
      const works = thread in frame.holds;
      cell.textContent = works ? frame.holds[thread] : "";
      cell.className = "cell " + (works ? `at-work ${warpOf(thread)}` : "idle");
      cell.classList.toggle("useless", frame.useless.includes(thread));
    });
  };

  // Of the lanes that were chosen, and of those that should have been: right or wrong; in words.
  const check = (chosen, frame, { threads }) => {
    const wrong = threads.cells.filter((cell, thread) => {
      const works = thread in frame.holds, was = chosen.has(thread);
      if (works || was) cell.classList.add(works && was ? "right" : "wrong");
      return works !== was;
    }).length;
    return wrong ? [`wrong: ${wrong}`, "bad"] : ["all right", "good"];
  };

  const say = (line, frame, total) => {
    line.textContent = frame ? "" : "Before the launch: the input is in global memory.";
    (frame ? frame.say : []).forEach(([text, look], i) =>
      element("span", line, look, (i ? " · " : "") + text));
    if (total) element("strong", line, "", ` · sum ${total}, like the CPU's: verified`);
  };

  const player = (slide) => {
    const part = (selector) => slide.querySelector(selector);
    const data = JSON.parse(part("script").textContent), last = data.frames.length;
    const scene = draw(part(".stage"), data), light = source(slide, ROOM - scene.height);
    const counts = data.counts.map((what) => {
      const row = element("tr", part(".counts tbody"));
      element("th", row, "", what);
      return element("td", row, "figure");
    });
    const chosen = new Set();
    let now = 0, choosing = false;

    const show = (wanted) => {
      const checks = choosing && wanted > now && wanted <= last;
      now = Math.max(0, Math.min(last, wanted));
      while (checks && now < last && !Object.keys(data.frames[now - 1].holds).length) now++;
      const frame = data.frames[now - 1], before = data.frames[now - 2];
      fill(scene, data, now);
      scene.svg.innerHTML = "";
      if (frame) {
        mark(frame, scene);
        lines(frame, scene);
      }
      scene.states.forEach((state, warp) => {
        state.textContent = frame ? frame.rows[warp] ?? "" : "has not begun";
        state.hidden = !state.textContent;
      });
      const verdict = checks ? [check(chosen, frame, scene)] : [];
      chosen.clear();
      say(part(".say"), frame && { say: [...verdict, ...frame.say] }, now === last && data.total);
      counts.forEach((cell, i) => {
        cell.textContent = frame ? frame.counts[i] : "";
        const old = before ? before.counts[i] : "0";
        cell.classList.toggle("warn", ![old, "–", ""].includes(cell.textContent));
      });
      light(frame && frame.line);
      part("input").value = now;
      part(".round").textContent = `round ${now} of ${last}`;
    };

    part("input").addEventListener("input", (event) => show(Number(event.target.value)));
    part("input").addEventListener("pointerup", () => slide.focus({ preventScroll: true }));
    // Does the next round say what the last three did? A clicker passes by the rest of these.
    const same = () => data.frames[now] && data.frames.slice(Math.max(0, now - 3), now + 1).map(
        ({ line, say }) => JSON.stringify([line, say])).every((said, _, all) => said === all[0]);
    slide.addEventListener("play", (event) => {
      const before = now, { rounds, swift } = event.detail;
      show(now + rounds);
      while (swift && now > 3 && same()) show(now + 1);
      if (now !== before) event.preventDefault();  // it is played, and the slide stays
    });
    slide.addEventListener("choose", () => {
      choosing = slide.classList.toggle("choosing");
      show(now);
      if (choosing) part(".say").textContent = "Which lanes work next? Click them; → checks.";
    });
    const choose = (event) => {
      const thread = scene.threads.cells.indexOf(event.target);
      if (!choosing || thread < 0 || !event.buttons) return;
      event.preventDefault();
      const taken = chosen.has(thread) ? !chosen.delete(thread) : chosen.add(thread);
      event.target.classList.toggle("chosen", Boolean(taken));
    };
    part(".stage").addEventListener("pointerdown", choose);
    part(".stage").addEventListener("pointerover", choose);
    slide.addEventListener("click", (event) => {
      const button = event.target.closest("[data-move]");
      if (button) show(now + Number(button.dataset.move));
    });
    show(0);
  };

  document.querySelectorAll(".slide.step").forEach(player);
})();
