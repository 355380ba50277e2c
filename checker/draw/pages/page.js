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
    button("▶", "forward (Right)", () => go(at + 1)), button("▶|", "last (End)", () => go(last)), slider, count,
    make("span", "keys ← → Home End", "keys"));
  slider.addEventListener("input", () => go(Number(slider.value)));
  const svg = section.querySelector(".picture svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  line.setAttribute("class", "now-line");
  svg.querySelector(".paper").after(line);

  const grids = svg.querySelectorAll(".grid");
  const future = document.createElementNS("http://www.w3.org/2000/svg", "rect");  // what is still to come is dimmed
  future.setAttribute("class", "future");
  if (last) {
    future.setAttribute("y", grids[0].getAttribute("y1"));
    future.setAttribute("height", grids[0].getAttribute("y2") - grids[0].getAttribute("y1"));
  }
  svg.querySelector(".under").before(future);

  const view = svg.parentNode, staying = svg.querySelectorAll(".name, .under");  // names and texts do not scroll away
  view.addEventListener("scroll", () => staying.forEach(part => { part.style.transform = `translateX(${view.scrollLeft}px)`; }));

  function go(step) {
    if (step > last && data.loop !== null && data.loop < last) step = data.loop + 1;  // once more around
    at = Math.max(0, Math.min(last, step));
    section.dataset.step = at;
    const here = data.steps[at], before = data.steps[Math.max(0, at - 1)];
    slider.value = at;
    count.textContent = `${at} of ${last}`;
    now.replaceChildren();
    now.append(make("p", at ? `${at}. ${here.action}` : here.action, "action"));
    now.append(make("p", here.changes.join("; "), "changes"));
    if (here.status) now.append(make("span", here.status, here.status.endsWith(": violated") ? "status bad" : "status"));
    for (const mark of here.marks) now.append(make("p", mark, "mark"));
    const differs = (a, b) => at > 0 && JSON.stringify(a) !== JSON.stringify(b);
    now.append(table(["machine", "colour", "state", "recorded"], here.machines.map((m, i) => ({
      changed: differs(m, before.machines[i]),
      cells: [{text: m.name}, {text: m.crashed ? "crashed" : m.red ? "● red" : "○ white", kind: m.red ? "colour red" : "colour"},
        {text: m.state}, {text: m.recorded}]}))));
    const channels = here.channels.map((c, i) => ({
      changed: differs(c, before.channels[i]), empty: c.content === "-", cells: [{text: c.name}, {text: c.content}]}));
    const told = channels.filter(c => c.changed || !c.empty), others = channels.length - told.length;
    if (told.length) now.append(table(["channel", "content, head first"], told));
    if (others) now.append(make("p", told.length ? `The other ${others === 1 ? "channel is" : others + " channels are"} empty.`
      : "All channels are empty.", "changes"));
    section.querySelectorAll(".actions li").forEach((item, i) => item.classList.toggle("current", i + 1 === at));
    const grid = grids[at - 1], column = last > 1 ? grids[1].getAttribute("x1") - grids[0].getAttribute("x1") : 40;
    line.style.display = grid ? "" : "none";
    const since = (grid ? Number(grid.getAttribute("x1")) : last ? grids[0].getAttribute("x1") - column : 0) + column / 2;
    future.setAttribute("x", since);
    future.setAttribute("width", at < last ? Math.max(0, svg.getAttribute("width") - since) : 0);
    if (grid) {
      const x = grid.getAttribute("x1");
      line.setAttribute("x1", x); line.setAttribute("x2", x);
      for (const end of ["y1", "y2"]) line.setAttribute(end, grid.getAttribute(end));
      const room = view.clientWidth / 4;
      if (x < view.scrollLeft + room || x > view.scrollLeft + 3 * room) view.scrollLeft = x - 2 * room;
    }
  }
  section.querySelectorAll(".actions button").forEach(item =>
    item.addEventListener("click", () => go(Number(item.dataset.step))));
  document.addEventListener("keydown", event => {
    if (event.target.tagName === "INPUT" || document.querySelectorAll(".run").length > 1 && !section.contains(event.target)) return;
    const keys = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last};
    if (event.key in keys) { go(keys[event.key]); event.preventDefault(); }
  });

  if (data.exchange && data.exchange.order.length) exchanges(section.querySelector(".exchanges"), data.exchange, make, button);
  go(data.opens);  // a counterexample at its violation
}
const reveal = () => {  // a link to a run that is folded
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = target && target.closest("details");
  if (folded) { folded.open = true; target.scrollIntoView(); }
};
addEventListener("hashchange", reveal);
reveal();
