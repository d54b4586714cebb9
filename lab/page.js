// On a wide screen one slide at a time, by keyboard, button and address; on a narrow one, and where
// scripts are off, all slides stand below each other. The address keeps the place: all ways to a
// slide go through location.hash, so the browser's Back works, too.
(() => {
  "use strict";
  const slides = [...document.querySelectorAll(".slide")];
  const wide = matchMedia("screen and (min-width: 800px) and (min-height: 450px)");
  const root = document.documentElement;
  let now = 0;

  const go = (index) => {
    location.hash = slides[Math.max(0, Math.min(slides.length - 1, index))].id;
  };

  // To a view of a step; to its first slide if it lacks that view; if there is no such step, to the
  // slide that is given instead.
  const goTo = (step, view, instead) => {
    const own = slides.filter((slide) => slide.dataset.part === step);
    const index = slides.indexOf(own.find((slide) => slide.dataset.view === view) || own[0]);
    go(index !== -1 ? index : instead);
  };

  // The same view, so many steps on; beyond the ladder, as many slides.
  const goAlong = (direction) => {
    const { part, view } = slides[now].dataset;
    goTo(String(Number(part) + direction).padStart(2, "0"), view, now + direction);
  };

  // So many rounds of a step that is played on, or back; false if there are no more.
  const play = (rounds, swift = false) => !slides[now].dispatchEvent(
      new CustomEvent("play", { detail: { rounds, swift }, cancelable: true }));

  // What a slide hides, one thing at a time: the figures that one should guess first, which belong
  // together, or an answer, which is folded. False if nothing is hidden any more.
  const reveal = (slide = slides[now]) => {
    const hidden = [...slide.querySelectorAll(".later:not(.shown, [open])")];
    const next = hidden[0]?.matches("details") ? hidden.slice(0, 1) : hidden;
    for (const node of next) node.classList.toggle("shown", node.open = true);
    return next.length > 0;
  };
  const hide = () => {
    for (const node of slides[now].querySelectorAll(".later")) {
      node.classList.toggle("shown", node.open = false);
    }
  };
  const onwards = () => reveal() || play(1, true) || go(now + 1);
  const back = () => play(-1) || go(now - 1);
  const fullScreen = () => document.fullscreenElement ? document.exitFullscreen()
                                                      : root.requestFullscreen();

  // The slide that one looks at; the bar of contents follows.
  const look = (index) => {
    now = index;
    slides.forEach((slide, i) => slide.classList.toggle("current", i === now));
    document.getElementById("position").textContent = `${now + 1} / ${slides.length}`;
    document.title = slides[now].getAttribute("aria-label");
    for (const link of document.querySelectorAll("#contents a")) {
      const here = link.dataset.part === slides[now].dataset.part;
      link.setAttribute("aria-current", here);
      if (here) link.closest("nav").scrollLeft = link.offsetLeft - innerWidth / 2;
    }
  };
  const show = () => {
    look(Math.max(0, slides.findIndex((slide) => "#" + slide.id === location.hash)));
    const told = slides[now].querySelector("details:not(.later)");
    if (told && wide.matches) told.open = true;
    slides[now].focus({ preventScroll: true }); // a screen reader begins to read here
  };
  const scrolled = () => {
    const here = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest(".slide");
    if (here && !wide.matches) look(slides.indexOf(here));
  };

  const keys = {
    ArrowRight: onwards, PageDown: onwards, " ": onwards, r: () => reveal() || hide(),
    Enter: () => reveal(), ArrowLeft: back, PageUp: back, Backspace: () => go(now - 1),
    ArrowDown: () => goAlong(1), ArrowUp: () => goAlong(-1),
    Home: () => go(0), End: () => go(slides.length - 1), f: fullScreen,
    ".": () => play(1), ",": () => play(-1), ">": () => play(Infinity), "<": () => play(-Infinity),
    w: () => slides[now].dispatchEvent(new CustomEvent("choose")),
    l: () => root.classList.toggle("dark"), b: () => root.classList.toggle("blank"),
  };

  // A digit leads to a step; another letter to that view of a step, to which its slides have links.
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    const pressed = [" ", "Enter"].includes(key) && target.closest("button, a, summary");
    const slid = target.matches("input") && /^(Arrow|Page|Home|End)/.test(key);
    if (!wide.matches || event.ctrlKey || event.altKey || event.metaKey || pressed || slid) return;
    if (keys[key]) {
      event.preventDefault();
      keys[event.shiftKey && key === " " ? "PageUp" : key]();
    } else if (/^\d$/.test(key)) {
      goTo("0" + key, "idea", now);
    } else if (/^[a-z]$/.test(key)) {
      slides[now].querySelector(`.views [data-view^="${key}"]`)?.click();
    }
  });
  document.addEventListener("click", ({ target }) => {
    if (target.id === "back") back();
    if (target.id === "next") onwards();
    if (target.matches(".show")) reveal(target.closest(".slide"));
  });

  root.classList.add("script");
  addEventListener("scroll", scrolled);
  addEventListener("hashchange", show);
  show();
})();
