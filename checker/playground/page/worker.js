// Python in a thread of its own, so that the page stays alive; "stop" ends the thread.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const tell = (kind, value) => postMessage({ kind, value });
let python;

async function start() {
  python = await loadPyodide();
  const packed = await fetch(new URL("redwhite.zip", import.meta.url));
  python.FS.writeFile("/redwhite.zip", new Uint8Array(await packed.arrayBuffer()));
  python.runPython("import sys; sys.path[:0] = ['/redwhite.zip', '.']; from checker.playground import inside");
  // A link may bring code. Nothing that it runs gets at the network; the page's policy says so too.
  for (const way of ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "BroadcastChannel", "indexedDB", "caches"])
    Object.defineProperty(self, way, { value: undefined });
  tell("catalogue", python.runPython("inside.catalogue()"));
}

const ready = start().catch((error) => tell("error", `Redwhite does not start in this browser: ${error.message}`));

onmessage = async ({ data }) => {
  await ready;
  let told = 0;
  const progress = (states, waiting, depth) => {
    if (Date.now() - told > 200) {
      told = Date.now();
      tell("progress", { states, waiting, depth });
    }
  };
  try {
    python.globals.set("question", JSON.stringify(data));
    python.globals.set("progress", progress);
    tell("answer", python.runPython("inside.answer(question, progress)"));
  } catch (error) {
    tell("error", error.message.trim().split("\n").pop());
  }
};
