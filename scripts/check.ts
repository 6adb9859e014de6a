/** `npm run check [part]`: checks the code without running the service. Exits with 1 if something is wrong. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { commandLine, refuse } from "./command-line.ts";

const usage = `npm run check [types|lint|boundaries|generated|functions|prose|licenses]

Runs one check, or all of them concurrently.

types       TypeScript, of the service and of the web application
lint        Biome
boundaries  which folder may import which
generated   whether generated files and the next migration are current
functions   whether there are more database functions and triggers than allowed; -- --list names the removable ones
prose       whether documents are short enough, and whether comments and documents begin sentences with a clause
licenses    whether a shipped package requires more than its license's text; -- --texts prints the texts`;

const parts: Readonly<Record<string, readonly string[]>> = {
  types: ["tsc --noEmit", "tsc --noEmit --project app"],
  lint: ["biome check --error-on-warnings ."],
  boundaries: ["vitest run --configLoader native --project repo tests/repo/architecture.test.ts"],
  generated: ["node --import ./server/quick-start.mjs scripts/generate.ts --check"],
  functions: ["node scripts/build/functions/report.ts"],
  prose: ["vitest run --configLoader native --project pure tests/unit/scripts/prose.test.ts"],
  licenses: ["node scripts/build/licenses/report.ts"],
};

const { flags, words } = commandLine({
  usage,
  flags: { texts: { type: "boolean", default: false }, list: { type: "boolean", default: false } },
  words: 1,
});
const [word] = words;
if (word !== undefined && !Object.hasOwn(parts, word))
  refuse(`Unknown part '${word}': ${Object.keys(parts).join(", ")}`, usage);
if (flags.texts && word !== "licenses") refuse("--texts is a flag of licenses", usage);
if (flags.list && word !== "functions") refuse("--list is a flag of functions", usage);

const wanted = word === undefined ? Object.keys(parts) : [word];
const outcomes = await Promise.all(wanted.map(run));
process.exitCode = outcomes.every(Boolean) ? 0 : 1;

/** Runs a part's commands one after the other, and returns whether all succeeded. */
async function run(part: string): Promise<boolean> {
  let isRight = true;
  for (const command of parts[part] ?? []) {
    const whole = [command, ...(flags.texts ? ["--texts"] : []), ...(flags.list ? ["--list"] : [])].join(" ");
    isRight = (await runCommand(whole, `check ${part}`)) && isRight;
  }
  return isRight;
}

/** Prints a command's output at its end, so outputs do not mix. */
async function runCommand(command: string, title: string): Promise<boolean> {
  const child = spawn(command, { stdio: ["ignore", "pipe", "pipe"], shell: true });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => output.push(part));
  const [code] = await once(child, "close");
  process.stdout.write(`\n> ${title}: ${command}\n`);
  process.stdout.write(Buffer.concat(output));
  return code === 0;
}
