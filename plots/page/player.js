// Plays a step: one event of one small block at a time, which is what its warps do at one line. All that is shown is in the slide's JSON
// (frames.py says what a frame is). The stage is a grid: a label, then 32 cells a row.
(() => {
  "use strict";
  const LANES = 32, CELL = 2.23, LEFT = 6.1, ROW = 1.4, PITCH = 1.5, GAP = 0.4, ARCS = 1;
  const ROOM = 33, LINE = 1.65;  // of stage and source; a line of it; all in rem, as in page.css
  const LEGEND = [["at-work", "works, or is stored"], ["touched", "is loaded"],
                  ["idle", "idle lane of a busy warp"], ["conflicts", "bank conflict"],
                  ["sectors", "sector loaded for few of its words"],
                  ["useless", "unused value"]];

  const element = (tag, parent, classes = "", text = "") => {
    const node = Object.assign(document.createElement(tag), { className: classes });
    node.textContent = text;
    return parent.appendChild(node);
  };

  const warpOf = (thread) => `warp${Math.floor(thread / LANES) % 2}`;

  // ---- what is drawn once ----

  // Rows of cells below another strip; label: of the row that begins with a cell. at: a cell's
  // middle, at its upper (0) or lower (1) edge, on the drawing over the stage.
  const strip = (stage, above, size, label, gap = GAP) => {
    if (above) element("hr", stage).style.height = `${gap - 0.1}rem`;
    const top = above ? above.end + gap : 0;
    const labels = [], cells = [...Array(size).keys()].map((i) => {
      if (i % LANES === 0) labels.push(element("span", stage, "label", label(i)));
      return element("span", stage, "cell");
    });
    const at = (i, edge) => `${LEFT + (i % LANES + 0.5) * CELL} ` +
                            `${top + Math.floor(i / LANES) * PITCH + edge * ROW}`;
    return { cells, labels, at, top, end: top + labels.length * PITCH };
  };

  // Lanes, input, threads, shared memory, result, from top to bottom.
  const draw = (stage, data) => {
    stage.textContent = "";
    let last = strip(stage, null, LANES, () => "lane");
    last.cells.forEach((cell, i) => { cell.className = "number"; cell.textContent = i; });
    const add = (size, label, gap) => last = strip(stage, last, size, label, gap);
    const array = (name, gap) => [name, add(data.arrays[name].words, (word) => `${name}[${word}]`,
                                            gap)];
    const [first, ...others] = Object.keys(data.arrays), input = array(first);
    const gap = data.frames.some(({ gets }) => Object.keys(gets).length) ? ARCS : GAP;
    const threads = add(data.threads, (thread) => `warp ${thread / LANES}`, gap);
    const arrays = Object.fromEntries([input, ...others.map((name, i) => array(name, i ? GAP : gap))]);
    const states = threads.labels.map((label) => element("span", label, "state"));
    const legend = element("span", stage, "legend");
    for (const [look, words] of LEGEND) {  // of those that occur
      if (look in data.frames[0] && !data.frames.some((frame) => frame[look].length)) continue;
      element("span", legend, `cell warp0 ${look}`, look === "useless" ? "7" : "");
      element("span", legend, "", words);
    }
    stage.insertAdjacentHTML("afterbegin", `<svg viewBox="0 0 77.5 ${last.end}"></svg>`);
    return { arrays, threads, states, svg: stage.firstElementChild, height: last.end };
  };

  // As many lines of the source as there is room for, with one of them lit.
  const light = (rows, room, line) => {
    const lit = rows.findIndex((row) => row.cells[0].textContent == line);
    const fit = Math.floor(room / LINE);
    const first = Math.max(0, Math.min(lit - Math.floor(fit / 2), rows.length - fit));
    rows.forEach((row, i) => {
      row.hidden = i < first || i >= first + fit;
      row.classList.toggle("lit", i === lit);
    });
  };

  // ---- an event ----

  // What lies in memory after so many events; grey is what no later one touches.
  const fill = ({ arrays, threads }, { frames, ...data }, now) => {
    const touched = frames.slice(now).flatMap(({ reads, writes }) => [...reads, ...writes]);
    const needed = new Set(touched.map(([array, word]) => `${array} ${word}`));
    Object.entries(arrays).forEach(([name, { cells }]) => cells.forEach((cell, word) => {
      cell.textContent = data.arrays[name].values[word] ?? "";
      cell.className = needed.has(`${name} ${word}`) ? "cell" : "cell spent";
    }));
    for (const { writes } of frames.slice(0, now + 1)) {
      for (const [array, word, , value] of writes) arrays[array].cells[word].textContent = value;
    }
    const { holds, useless } = frames[now];
    threads.cells.forEach((cell, thread) => {
      const look = thread in holds ? "at-work" : "idle";
      cell.textContent = holds[thread] ?? "";
      cell.className = `cell ${useless.includes(thread) ? "useless" : look} ${warpOf(thread)}`;
    });
  };

  const mark = (frame, { arrays }) => {
    const add = (array, word, ...looks) => arrays[array].cells[word].classList.add(...looks);
    for (const [array, word, thread] of frame.reads) add(array, word, "touched", warpOf(thread));
    for (const [array, word, thread] of frame.writes) add(array, word, "at-work", warpOf(thread));
    for (const [array, word] of frame.conflicts) add(array, word, "conflicts");
    for (const [array, word] of frame.sectors) {
      for (let i = 0; i < 8; i++) add(array, word + i, "sectors", i ? "inner" : "first");
    }
  };

  // Lines between words and threads, and between lanes that hand on registers.
  const lines = ({ reads, writes, gets, useless }, { arrays, threads }) => {
    const path = (kind, thread, d) => `<path class="${kind} ${warpOf(thread)}" d="${d}"></path>`;
    const between = (kind) => ([array, word, thread]) => {
      const above = arrays[array].top < threads.top;
      return path(kind, thread, `M${arrays[array].at(word, Number(above))}` +
                                `L${threads.at(thread, Number(!above))}`);
    };
    const written = new Set(writes.map((place) => place.slice(0, 3).join()));
    const arcs = Object.entries(gets).map(([thread, from]) => [Number(thread), from]).filter(
        ([to, from]) => from !== to && !useless.includes(to)).map(([to, from]) => {
      const edge = Math.min(Math.floor(to / LANES), 1);  // above the first warp, below the second
      const [x, y] = threads.at((from + to) / 2, edge).split(" ").map(Number);
      return path("read", to, `M${threads.at(from, edge)}` +
                              `Q${x} ${y + (edge ? 1.7 : -1.7)} ${threads.at(to, edge)}`);
    });
    return [...reads.filter((place) => !written.has(place.join())).map(between("read")),
            ...writes.map(between("write")), ...arcs].join("");
  };

  const player = (slide) => {
    const part = (selector) => slide.querySelector(selector);
    const data = JSON.parse(part("script").textContent), last = data.frames.length - 1;
    const scene = draw(part(".stage"), data), source = [...slide.querySelectorAll(".code tr")];
    const counts = [...slide.querySelectorAll(".counts td")];
    let now = 0;

    const show = () => {
      const frame = data.frames[now], before = data.frames[now - 1] || frame;
      fill(scene, data, now);
      mark(frame, scene);
      scene.svg.innerHTML = lines(frame, scene);
      scene.states.forEach((state, warp) => {
        state.textContent = frame.rows[warp] ?? "";
        state.hidden = !state.textContent;
      });
      part(".say").textContent = "";
      frame.say.forEach(([text, look], i) =>
        element("span", part(".say"), look, (i ? " · " : "") + text));
      counts.forEach((cell, i) => {
        cell.textContent = frame.counts[i];
        cell.classList.toggle("warn", ![before.counts[i], "–"].includes(cell.textContent));
      });
      light(source, ROOM - scene.height, frame.line);
      part(".round").textContent = `event ${now} of ${last}` +
          (frame.round && now < last ? `, round ${frame.round} of the tree` : "");
    };

    // Does the next event say what the last three did? The rest of these is passed by.
    const same = () => now > 3 && now < last && data.frames.slice(now - 2, now + 2).map(
        ({ line, say }) => JSON.stringify([line, say])).every((said, _, all) => said === all[0]);
    slide.addEventListener("play", (event) => {
      const wanted = event.detail && now + event.detail;
      if (wanted < 0 || wanted > last) return;
      event.preventDefault();  // it is played, and the slide stays
      now = wanted;
      while (event.detail && same()) now += event.detail;
      show();
    });
    show();
  };

  document.querySelectorAll(".slide.step").forEach(player);
})();
