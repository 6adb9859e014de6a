/** Runs a function in its own thread, where counting slows no other code, and posts its steps. */
import { Session } from "node:inspector/promises";
import { parentPort, workerData } from "node:worker_threads";

let characters = 0;

const whole = ["split", "replace", "replaceAll", "normalize", "toLowerCase", "trim", "trimEnd", "trimStart"];
const found = ["indexOf", "includes"];

type Method = (this: string, ...args: unknown[]) => unknown;
const methods = String.prototype as unknown as Record<string, Method>;

function countCharacters(): void {
  for (const name of whole) {
    const own = methods[name] as Method;
    methods[name] = function (...args) {
      characters += this.length;
      return own.apply(this, args);
    };
  }
  const { indexOf } = String.prototype;
  for (const name of found) {
    const own = methods[name] as Method;
    methods[name] = function (...args) {
      const [word, from = 0] = args as [string, number?];
      const at = indexOf.call(this, word, from);
      characters += (at < 0 ? this.length : at + word.length) - from;
      return own.apply(this, args);
    };
  }
  const { exec } = RegExp.prototype;
  RegExp.prototype.exec = function (text) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = exec.call(this, text);
    const end = match ? match.index + match[0].length : this.sticky ? from + 1 : String(text).length;
    characters += Math.max(end - from, 1);
    return match;
  };
}

const { module, work, args } = workerData as { module: string; work: string; args: unknown[] };
const exported = await import(module);
const run = new Function(`return (${work})`)() as (...args: unknown[]) => void;
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
countCharacters();
run(exported, ...args);
const { result } = await session.post("Profiler.takePreciseCoverage");
const blocks = result
  .filter(({ url }) => url.startsWith("file:") && url !== import.meta.url)
  .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
  .reduce((sum, { count }) => sum + count, 0);
parentPort?.postMessage(blocks + characters);
