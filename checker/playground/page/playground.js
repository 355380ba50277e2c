// The page: fields, the address that holds them, and what the worker tells. All text is set by textContent.
const $ = (id) => document.getElementById(id);
const form = $("form");
const defaults = Object.fromEntries(new FormData(form));
const lists = { topology: "topologies", program: "programs", protocol: "protocols", relax: "relaxations", property: "properties" };
const empty = { relax: "none: channels are FIFO, nothing is lost", property: "all that apply" };
let names = null;
let worker = null;
let began = 0;

// A worker made from a blob lives under this page's policy; one loaded by its address would have none.
function startWorker() {
  const source = `import ${JSON.stringify(new URL("worker.js", location.href).href)};`;
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  worker = new Worker(address, { type: "module" });
  worker.onmessage = ({ data }) => heard[data.kind](data.value);
  worker.onerror = () => heard.error("Redwhite does not start in this browser");
  say("loading Python …");
}

function say(text, bad = false) {
  $("status").textContent = text;
  $("status").classList.toggle("bad", bad);
}

function busy(running) {
  $("check").disabled = running || names === null;
  $("stop").disabled = !running;
}

const heard = {
  catalogue(text) {
    if (names === null) {
      names = JSON.parse(text);
      for (const id of Object.values(lists)) fill($(id), names[id]);
      $("examples").replaceChildren(...names.examples.map(example));
    }
    explainFields();
    say("ready");
    busy(false);
  },
  progress({ states, waiting, depth }) {
    say(`${states.toLocaleString("en")} states, ${waiting.toLocaleString("en")} waiting, depth ${depth}`);
  },
  answer(text) {
    const told = JSON.parse(text);
    if (told.error) return heard.error(told.error);
    say(`done in ${((Date.now() - began) / 1000).toFixed(1)} s`);
    busy(false);
    show(told);
  },
  error(text) {
    say(text, true);
    busy(false);
  },
};

function show({ verdict, text, picture, page }) {
  const found = verdict.counterexample;
  $("verdict").textContent =
    { holds: "Holds", violated: "Violated", unknown: "Unknown" }[verdict.verdict] +
    (found ? `: ${found.property}, after ${found.length} actions` : verdict.reason ? `: ${verdict.reason}` : ", on every interleaving");
  $("verdict").className = verdict.verdict;
  $("counts").textContent = `${verdict.states.toLocaleString("en")} states, ${verdict.transitions.toLocaleString("en")} transitions, ` +
    `${(verdict.snapshots ?? 0).toLocaleString("en")} distinct snapshots`;
  $("picture").hidden = $("stepping").hidden = !picture;
  if (picture) {
    $("picture").src = `data:image/svg+xml,${encodeURIComponent(picture)}`;
    $("picture").alt = `The shortest run that breaks ${found.property}, as a diagram; the report below has it in words.`;
    $("run").onload = () => { $("run").onload = null; $("run").contentWindow.postMessage(page, "*"); };
    $("run").src = "run.html";
  }
  $("text").textContent = text;
  $("result").hidden = false;
}

function fill(list, entries) {
  list.replaceChildren(...Object.keys(entries).filter((name) => !/^(file|FILE|any|edges|strong|line 0)/.test(name))
    .map((name) => Object.assign(document.createElement("option"), { value: name.replace(":N", ":3").replace(":K", ":1") })));
}

function example(fields) {
  const item = document.createElement("li");
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: fields.title });
  button.onclick = () => { set(fields); $("form").requestSubmit(); form.scrollIntoView({ behavior: "smooth" }); };
  item.append(button);
  return item;
}

// What the names in a field mean, from the catalogue.
function explainFields() {
  for (const [field, list] of Object.entries(lists)) {
    const input = form.elements[field];
    const meanings = (input.value.trim() ? input.value.trim().split(/[,\s]+/) : []).map((word) => {
      const stem = word.split(":")[0];
      const entry = names && Object.entries(names[list]).find(([name]) => name === word || name.split(":")[0] === stem);
      return entry ? entry[1].split("  ")[0] : null;
    });
    input.parentElement.querySelector("small").textContent = meanings.filter(Boolean).slice(0, 2).join(" ") || (input.value ? "" : empty[field] ?? "");
  }
}

function fields() {
  return Object.fromEntries(new FormData(form));
}

function set(values) {
  for (const [name, value] of Object.entries(defaults)) form.elements[name].value = values[name] ?? value;
  $("own").open = form.elements.code.value.trim() !== "";
  keep();
}

// The address holds what differs from the defaults: readable, and short where little was changed.
function keep() {
  const changed = Object.entries(fields()).filter(([name, value]) => value !== defaults[name]);
  const words = `${new URLSearchParams(changed)}`.replaceAll("%3A", ":").replaceAll("%2C", ",");
  history.replaceState(null, "", `#${words}`);
  if (names) explainFields();
}

function read() {
  const values = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  set(values);
  if (values.code) say("this link brings Python code: read it before you press Check");
}

form.oninput = keep;
form.onsubmit = (event) => {
  event.preventDefault();
  if (names === null || !$("stop").disabled) return;
  keep();
  began = Date.now();
  $("result").hidden = true;
  busy(true);
  say("searching …");
  worker.postMessage(fields());
};
$("stop").onclick = () => {
  worker.terminate();
  startWorker();
  busy(true);
  $("stop").disabled = true;
};
$("link").onclick = async () => {
  keep();
  try {
    await navigator.clipboard.writeText(location.href);
    say("the link is in the clipboard");
  } catch {
    say("copy the address of this page");
  }
};
addEventListener("hashchange", read);
startWorker();
read();
