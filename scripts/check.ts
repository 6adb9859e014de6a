/**
 * `npm run check`: types, lint, boundaries and what is generated, side by side, since none of them takes all of a machine.
 * Says of each how it went, and exits with 1 when something is wrong.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { commandLine } from "./command-line.ts";

commandLine({
  usage:
    "npm run check\n\nLooks at types, lint, boundaries and what is generated, as each `npm run check:…` does.",
});

const checks = ["check:types", "check:lint", "check:boundaries", "check:generated"];

const outcomes = await Promise.all(checks.map(run));
process.exitCode = outcomes.every(Boolean) ? 0 : 1;

/** Tells what a check said when it has ended, so that the words of two are not mixed; whether all is well. */
async function run(check: string): Promise<boolean> {
  const isWindows = process.platform === "win32";
  const child = spawn("npm", ["run", check], { stdio: ["ignore", "pipe", "pipe"], shell: isWindows });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => said.push(part));
  const [code] = await once(child, "close");
  process.stdout.write(Buffer.concat(said));
  return code === 0;
}
