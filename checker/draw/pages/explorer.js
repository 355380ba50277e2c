"use strict";
const token = document.body.dataset.token, by = id => document.getElementById(id);
let choices = [], enabled = 0, busy = false;
const waiting = [];  // steps back, asked for while a request was under way

const make = (tag, text, kind) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
};
const table = (heads, rows) => {
  const node = make("table"), head = node.createTHead().insertRow(), body = node.createTBody();
  for (const text of heads) head.append(make("th", text));
  for (const cells of rows) {
    const line = body.insertRow();
    for (const cell of cells) {
      const made = make("td", cell.text ?? cell, cell.kind);
      if (cell.more) made.append(make("div", cell.more, "more"));
      line.append(made);
    }
  }
  return node;
};

async function ask(path, what) {
  if (busy) return null;
  busy = true;
  document.body.style.cursor = "progress";
  try {
    const answer = await fetch(path, {method: "POST", body: JSON.stringify(what),
      headers: {"Content-Type": "application/json", "X-Redwhite-Token": token}});
    const data = await answer.json();
    by("error").textContent = answer.ok ? "" : data.error;
    return answer.ok ? data : null;
  } catch (error) {
    by("error").textContent = "the server does not answer: was it stopped?";
    return null;
  } finally {
    busy = false;
    document.body.style.cursor = "";
    if (waiting.length) setTimeout(() => afterwards(waiting.shift()));  // after what came is shown
  }
}
const afterwards = step => { if (busy) waiting.push(step); else step(); };

function show(data) {
  if (!data) return;
  choices = data.choices;
  enabled = data.enabled.length;
  const here = data.steps[data.steps.length - 1];
  by("count").textContent = `${choices.length} action${choices.length === 1 ? "" : "s"}`;
  by("enabled").replaceChildren(...data.enabled.map((event, i) => {
    const choice = make("button", `${i + 1}. ${event.who}: ${event.words}`);
    if (event.breaks.length) choice.append(make("span", ` ✗ violates ${event.breaks.join(", ")}`, "warning"));
    choice.type = "button";
    choice.addEventListener("click", () => choose(i));
    return choice;
  }));
  if (!enabled) by("enabled").append(make("p", "Nothing can happen any more."));
  const address = `#${choices.join(",")}`;
  if (location.hash !== address && (choices.length || location.hash)) history.pushState(null, "", address);
  by("violation").replaceChildren(...(data.violation ? [make("h2", `why ${data.violation.property} is violated`),
    ...data.violation.why.map(text => make("p", text))] : []));
  by("state").replaceChildren(make("p", here.action, "action"), make("p", here.changes.join("; "), "changes"),
    ...here.marks.map(mark => make("p", mark, "mark")),
    table(["machine", "colour", "state", "recorded"], here.machines.map(m => [m.name,
      {text: m.crashed ? "crashed" : m.red ? "● red" : "○ white", kind: m.red ? "colour red" : "colour"}, m.state, m.recorded])),
    table(["channel", "content, head first"], here.channels.map(c => [c.name, c.content])));
  by("properties").replaceChildren(table(["property", "so far"], data.properties.map(p =>
    [{text: p.name, more: p.claim},
      {text: p.status, more: p.read && `read: ${p.read}`, kind: p.status.startsWith("violated") ? "bad" : ""}])));
  by("picture").innerHTML = data.picture;  // made by the server, every text in it escaped
  by("picture").scrollLeft = 1e6;  // the last action
}

const view = next => ask("view", {choices: next}).then(show);
const choose = i => { if (i < enabled) view([...choices, i]); };
const back = () => afterwards(() => view(choices.slice(0, -1)));
by("back").addEventListener("click", back);
by("restart").addEventListener("click", () => afterwards(() => view([])));
by("random").addEventListener("click", () => ask("random", {choices}).then(show));
async function searching() {  // beside the clicking: asks now and then how the search stands
  const answer = await fetch("search", {method: "POST", body: "{}",
    headers: {"Content-Type": "application/json", "X-Redwhite-Token": token}}).catch(() => null);
  if (!answer || !answer.ok) return;
  const found = await answer.json();
  by("said").textContent = found.said;
  by("search").disabled = found.running;
  if (found.running) setTimeout(searching, 400);
  else by("jump").replaceChildren(make("option", found.targets.length ? "choose..." : "(nowhere)"),
    ...found.targets.map(name => make("option", name)));
}
by("search").addEventListener("click", searching);
by("jump").addEventListener("change", event => {
  if (event.target.selectedIndex > 0) ask("jump", {to: event.target.value}).then(show);
});
by("save").addEventListener("click", async () => {
  const trace = await ask("trace", {choices});
  if (!trace) return;
  const link = make("a");
  link.href = "data:application/json," + encodeURIComponent(JSON.stringify(trace, null, 1));
  link.download = "walk.json";
  link.click();
});
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  if (event.key >= "1" && event.key <= "9") choose(Number(event.key) - 1);
  else if (event.key === "ArrowLeft") back();
  else if (event.key === "r" || event.key === "R") by("random").click();
});
const walk = text => text.split(",").filter(part => /^[0-9]+$/.test(part)).map(Number);
addEventListener("popstate", () => {
  const there = walk(location.hash.slice(1));
  afterwards(() => view(there));
});
view(walk(location.hash.slice(1) || document.body.dataset.opened));
