"use strict";
// The picture of Dijkstra's exchanges: events at their places, messages between them, and the cut once it is upright.
function exchangePicture(ex) {
  const SVG = "http://www.w3.org/2000/svg", COLUMN = 44, LANE = 46, TOP = 26, HEAD = 9;
  const left = 24 + 8 * Math.max(...ex.machines.map(name => Math.min(name.length, 14)));
  const end = left + COLUMN * (ex.order.length + 1), low = TOP + LANE * (ex.machines.length - 1);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const node = (tag, kind, where, text) => {
    const made = document.createElementNS(SVG, tag);
    made.setAttribute("class", kind);
    for (const [key, value] of Object.entries(where)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const short = name => name.length > 14 ? name.slice(0, 13) + "…" : name, y = lane => TOP + LANE * lane;

  const svg = node("svg", "st", {width: end + 20, height: low + 44, viewBox: `0 0 ${end + 20} ${low + 44}`, role: "img",
    "aria-label": "the underlying events, in the order that is reached"});
  svg.append(node("rect", "paper", {width: "100%", height: "100%"}));
  ex.machines.forEach((name, m) => svg.append(node("text", "name", {x: 12, y: y(m) + 5}, short(name)),
    node("line", "white", {x1: left, x2: end, y1: y(m), y2: y(m)})));
  const cut = node("path", "cut", {}), sss = node("text", "label-cut", {y: low + 38, "text-anchor": "middle"}, "SSS");
  svg.append(cut, sss);
  const arrows = ex.messages.map(message => {
    const line = node("path", "", {}), head = node("polygon", "", {});
    line.append(node("title", "", {}, message.name));
    svg.append(line, head);
    return {line, head, ...message};
  });
  const dots = ex.order.flatMap(n => ex.events[n].lanes.map(lane => {
    const event = ex.events[n], dot = node("g", "", {});
    if (event.fault) for (const d of [-6, 6]) dot.append(node("line", "cross", {x1: -6, x2: 6, y1: d, y2: -d}));
    else dot.append(node("circle", event.red ? "dot r" : "dot", {r: 6}));
    dot.append(node("text", "tick", {y: -10, "text-anchor": "middle"}, n + 1), node("title", "", {}, event.words));
    svg.append(dot);
    return {dot, n, lane};
  }));

  function paint(x) {
    for (const {dot, n, lane} of dots) dot.setAttribute("transform", `translate(${x[n]} ${y(lane)})`);
    for (const {line, head, from, to, red} of arrows) {
      const [x1, x2] = [from[0] === null ? left : x[from[0]], to[0] === null ? end : x[to[0]]];
      const [y1, y2] = [y(from[1]), y(to[1])];
      // Where the straight way runs into another machine's event it bends aside, so that it does not read as a relay.
      const blocked = bend => dots.some(d => {
        const share = (y(d.lane) - y1) / (y2 - y1 || 1);
        return share > 0.02 && share < 0.98 && Math.abs(x1 + (x2 - x1) * share + 2 * bend * share * (1 - share) - x[d.n]) < 14;
      });
      const bend = [0, 36, -36, 60, -60].find(by => !blocked(by)) ?? 0;
      const [mx, my] = [(x1 + x2) / 2 + bend, (y1 + y2) / 2], [sx, sy] = bend ? [mx, my] : [x1, y1];
      const long = Math.hypot(x2 - sx, y2 - sy) || 1, [dx, dy] = [(x2 - sx) / long, (y2 - sy) / long];
      const [tx, ty] = [x2 - 6 * dx, y2 - 6 * dy], itself = y1 === y2 && to[0] !== null, back = x2 < x1;
      line.setAttribute("class", back ? "offends" : red ? "message r" : "message");
      line.setAttribute("d", `M${x1} ${y1} ` + (itself ? `Q${(x1 + x2) / 2} ${y1 - 40} ${x2} ${y2}`
        : bend ? `Q${mx} ${my} ${x2} ${y2}` : `L${x2} ${y2}`));
      head.setAttribute("class", back ? "head o" : red ? "head r" : "head");
      head.setAttribute("points", to[0] === null || itself ? "" : `${tx},${ty} ${tx - HEAD * dx - 4 * dy},${ty - HEAD * dy + 4 * dx} ` +
        `${tx - HEAD * dx + 4 * dy},${ty - HEAD * dy - 4 * dx}`);
    }
    const crossing = ex.machines.map((_, m) => {
      const at = dots.filter(d => d.lane === m), white = at.filter(d => !ex.events[d.n].red).map(d => x[d.n]);
      const red = at.filter(d => ex.events[d.n].red).map(d => x[d.n]), middle = left + COLUMN * (ex.whites + 0.25);
      const [from, to] = [Math.max(left, ...white), Math.min(end, ...red)];
      return Math.max(Math.min(middle, to - COLUMN / 2), from + COLUMN / 2);
    });
    let path = `M${crossing[0]} ${TOP - 22} V${TOP}`;
    crossing.slice(1).forEach((at, i) => { path += ` C${crossing[i]} ${y(i) + LANE / 2} ${at} ${y(i) + LANE / 2} ${at} ${y(i + 1)}`; });
    cut.setAttribute("d", `${path} V${low + 22}`);
    sss.setAttribute("x", crossing[crossing.length - 1]);
  }

  let places = {}, moving = 0;
  const target = order => Object.fromEntries(order.map((n, i) => [n, left + COLUMN * (i + 0.75)]));
  function move(order) {
    const from = {...places}, to = target(order), began = performance.now();
    cancelAnimationFrame(moving);
    const frame = now => {
      const share = calm.matches || !(order[0] in from) ? 1 : Math.min(1, Math.max(0, (now - began) / 400));
      const eased = share * share * (3 - 2 * share);
      for (const n of order) places[n] = share === 1 ? to[n] : from[n] + (to[n] - from[n]) * eased;
      paint(places);
      if (share < 1) moving = requestAnimationFrame(frame);
    };
    frame(began);
  }

  const passesThrough = yes => { cut.style.display = sss.style.display = yes ? "" : "none"; };
  return {svg, move, passesThrough};
}

// A red event right before a white one changes places with it, until all white ones come first: words and buttons.
function exchanges(box, ex, make, button) {
  const {svg, move, passesThrough} = exchangePicture(ex);
  let stage = 0, timer = null;
  const last = ex.exchanges.length;
  const bar = make("div", undefined, "controls"), inversions = make("span", "", "inversions");
  const chips = make("ol", undefined, "chips"), said = make("p", "", "between"), picture = make("div", undefined, "picture");
  const play = button("play", "exchange one by one, or pause", () => {
    if (timer) return stop();
    if (stage === last) show(0);
    play.textContent = "pause";
    timer = setInterval(() => { show(stage + 1); if (stage === last) stop(); }, 800);
  });
  function stop() { clearInterval(timer); timer = null; play.textContent = "play"; }
  if (last) bar.append(button("|◀", "as it ran", () => { stop(); show(0); }), button("◀", "undo an exchange", () => { stop(); show(stage - 1); }),
    play, button("▶", "next exchange", () => { stop(); show(stage + 1); }),
    button("▶|", "all exchanged", () => { stop(); show(last); }));
  bar.append(inversions);
  picture.tabIndex = 0;
  picture.append(svg);
  box.append(make("h2", "The equivalent computation"), make("p", last
    ? "The program's own actions alone. A red action right before a white one changes places with it, until all white actions come first."
    : "The program's own actions alone. No red action comes before a white one: there is nothing to exchange."), bar, picture, chips, said);

  function show(to) {
    stage = Math.max(0, Math.min(last, to));
    const order = [...ex.order];
    for (const i of ex.exchanges.slice(0, stage)) [order[i], order[i + 1]] = [order[i + 1], order[i]];
    const remaining = last - stage, passes = remaining === 0 && ex.between !== null;
    const moved = stage ? ex.exchanges[stage - 1] : -2;
    box.dataset.inversions = remaining;
    box.dataset.order = order.join(",");
    inversions.textContent = `${remaining} inversion${remaining === 1 ? "" : "s"} left`;
    chips.replaceChildren();
    order.forEach((n, place) => {
      if (passes && place === ex.whites) chips.append(make("li", "│ SSS │", "chip sss"));
      const chip = make("li", `${n + 1} ${ex.events[n].words}`, ex.events[n].red ? "chip red" : "chip");
      if (place === moved || place === moved + 1) chip.classList.add("moved");
      if (remaining === 0 && place === ex.fails) chip.classList.add("fails");
      chips.append(chip);
    });
    if (passes && ex.whites === order.length) chips.append(make("li", "│ SSS │", "chip sss"));
    passesThrough(passes);
    move(order);
    said.textContent = remaining ? "" : ex.fails !== null ? `This is no run: action ${order[ex.fails] + 1} cannot happen there; ${ex.why}.`
      : `Between white and red: ${ex.between}.` + (ex.sss === null ? "" : ex.sss === ex.between ? " This is SSS, as it was recorded."
        : ` But recorded as SSS was: ${ex.sss}.`);
  }
  show(0);
}
