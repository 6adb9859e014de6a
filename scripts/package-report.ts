/** `npm run package-report`: size and import time of each function; fails above a budget. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { budgetsBroken, type FunctionReport } from "./build/package-budgets.ts";
import { measurePackage } from "./build/package-measures.ts";
import { commandLine } from "./command-line.ts";

commandLine({
  usage: `npm run package-report

Prints the size and the import time of each function, and exits with 1 if one is over its budget.`,
});

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-report-"));
try {
  const { baselineMs, functions } = await measurePackage(folder, (message) => console.log(message));
  for (const one of functions) console.log(`\n${describe(one, baselineMs)}`);
  const broken = functions.flatMap((one) => budgetsBroken(one, baselineMs));
  console.log(broken.length > 0 ? `\n${broken.join("\n")}` : "\nEvery function is within its budget.");
  process.exitCode = broken.length > 0 ? 1 : 0;
} finally {
  await rm(folder, { recursive: true, force: true });
}

function describe({ name, zipBytes, servedBytes, importMs, inputs }: FunctionReport, baselineMs: number) {
  const served = servedBytes > 0 ? `, including ${kilobytes(servedBytes)} of served files` : "";
  const times = (importMs / baselineMs).toFixed(1);
  const imported = `imported in ${Math.round(importMs)} ms of processor time, ${times} times the baseline`;
  const largest = inputs.map((input) => `  ${kilobytes(input.bytes).padStart(8)}  ${input.path}`);
  return [`${name}: ${kilobytes(zipBytes)}${served}; ${imported}`, ...largest].join("\n");
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
