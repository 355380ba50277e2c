"use strict";
for (const section of document.querySelectorAll(".run")) {
  const data = JSON.parse(section.querySelector(".data").textContent);
  const last = data.steps.length - 1;
  let at = 0;

  const make = (tag, text, kind) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  };
  const button = (text, title, act) => {
    const node = make("button", text);
    node.type = "button";
    node.title = title;
    node.setAttribute("aria-label", title);
    node.addEventListener("click", act);
    return node;
  };
  const table = (heads, rows) => {
    const node = make("table"), head = node.createTHead().insertRow(), body = node.createTBody();
    for (const text of heads) head.append(make("th", text));
    for (const row of rows) {
      const line = body.insertRow();
      if (row.changed) line.className = "changed";
      for (const cell of row.cells) line.append(make("td", cell.text, cell.kind));
    }
    return node;
  };

  // -- stepping through the run ------------------------------------------------------------------------------------
  const now = section.querySelector(".now"), controls = section.querySelector(".controls");
  const slider = make("input");
  slider.type = "range"; slider.min = 0; slider.max = last; slider.value = 0;
  slider.setAttribute("aria-label", "step");
  const count = make("span", "", "count");
  controls.append(
    button("|◀", "first (Home)", () => go(0)), button("◀", "back (Left)", () => go(at - 1)),
    button("▶", "forward (Right)", () => go(at + 1)), button("▶|", "last (End)", () => go(last)), slider, count);
  slider.addEventListener("input", () => go(Number(slider.value)));
  const svg = section.querySelector(".picture svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  line.setAttribute("class", "now-line");
  svg.querySelector(".paper").after(line);

  function go(step) {
    at = Math.max(0, Math.min(last, step));
    section.dataset.step = at;
    const here = data.steps[at], before = data.steps[Math.max(0, at - 1)];
    slider.value = at;
    count.textContent = `${at} of ${last}`;
    now.replaceChildren();
    now.append(make("p", at ? `${at}. ${here.action}` : here.action, "action"));
    now.append(make("p", here.changes.join("; "), "changes"));
    now.append(make("span", `${data.property}: ${here.status}`, here.status === "violated" ? "status bad" : "status"));
    for (const mark of here.marks) now.append(make("p", mark, "mark"));
    const differs = (a, b) => at > 0 && JSON.stringify(a) !== JSON.stringify(b);
    now.append(table(["machine", "colour", "state", "recorded"], here.machines.map((m, i) => ({
      changed: differs(m, before.machines[i]),
      cells: [{text: m.name}, {text: m.crashed ? "crashed" : m.red ? "● red" : "○ white", kind: m.red ? "red" : ""},
        {text: m.state}, {text: m.recorded}]}))));
    now.append(table(["channel", "content, head first"], here.channels.map((c, i) => ({
      changed: differs(c, before.channels[i]), cells: [{text: c.name}, {text: c.content}]}))));
    section.querySelectorAll(".actions li").forEach((item, i) => item.classList.toggle("current", i + 1 === at));
    const dot = svg.querySelector(`[data-event="${at}"]`);
    line.style.display = dot ? "" : "none";
    if (dot) {
      const x = dot.getAttribute("cx");
      line.setAttribute("x1", x); line.setAttribute("x2", x);
      const grid = svg.querySelector(".grid");
      for (const end of ["y1", "y2"]) line.setAttribute(end, grid.getAttribute(end));
    }
  }
  section.querySelectorAll(".actions button").forEach(item =>
    item.addEventListener("click", () => go(Number(item.dataset.step))));
  document.addEventListener("keydown", event => {
    if (event.target.tagName === "INPUT" || document.querySelectorAll(".run").length > 1 && !section.contains(event.target)) return;
    const keys = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last};
    if (event.key in keys) { go(keys[event.key]); event.preventDefault(); }
  });

  // -- Dijkstra's exchanges ----------------------------------------------------------------------------------------
  const box = section.querySelector(".exchanges"), ex = data.exchange;
  if (ex && ex.order.length) {
    let stage = 0, timer = null;
    box.append(make("h2", "The equivalent computation"));
    box.append(make("p", "A red action right before a white one changes places with it, until all white actions come first."));
    const bar = make("div", undefined, "controls"), inversions = make("span", "", "inversions");
    const chips = make("ol", undefined, "chips"), end = make("p", "", "between");
    const play = button("play", "exchange one by one, or pause", () => {
      if (timer) return stop();
      if (stage === ex.exchanges.length) show(0);
      play.textContent = "pause";
      timer = setInterval(() => { show(stage + 1); if (stage === ex.exchanges.length) stop(); }, 700);
    });
    function stop() { clearInterval(timer); timer = null; play.textContent = "play"; }
    bar.append(button("|◀", "as it ran", () => { stop(); show(0); }), button("◀", "undo an exchange", () => { stop(); show(stage - 1); }),
      play, button("▶", "next exchange", () => { stop(); show(stage + 1); }), inversions);
    box.append(bar, chips, end);
    function show(to) {
      stage = Math.max(0, Math.min(ex.exchanges.length, to));
      const order = [...ex.order];
      for (const i of ex.exchanges.slice(0, stage)) [order[i], order[i + 1]] = [order[i + 1], order[i]];
      const left = ex.exchanges.length - stage, moved = stage ? ex.exchanges[stage - 1] : -2;
      box.dataset.inversions = left;
      box.dataset.order = order.join(",");
      inversions.textContent = `${left} inversion${left === 1 ? "" : "s"} left`;
      chips.replaceChildren();
      order.forEach((n, place) => {
        if (left === 0 && place === ex.whites) chips.append(make("li", "│ SSS │", "chip sss"));
        const chip = make("li", `${n + 1} ${ex.events[n].words}`, ex.events[n].red ? "chip red" : "chip");
        if (place === moved || place === moved + 1) chip.classList.add("moved");
        if (left === 0 && place === ex.fails) chip.classList.add("fails");
        chips.append(chip);
      });
      if (left === 0 && ex.whites === order.length) chips.append(make("li", "│ SSS │", "chip sss"));
      end.textContent = left ? "" : ex.fails !== null ? `This is no run: action ${order[ex.fails] + 1} cannot happen there; ${ex.why}.`
        : `Between white and red: ${ex.between}.` + (ex.sss ? ` Recorded: ${ex.sss}.` : "");
    }
    show(0);
  }
  go(0);
}
