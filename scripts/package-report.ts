/** `npm run package-report`: size and import time of each function; fails above a budget. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { importFault, sizeFault } from "./build/package-budgets.ts";
import { measureImports } from "./build/package-imports.ts";
import { packageService } from "./build/package-service.ts";
import { type FunctionSize, packageSizes } from "./build/package-sizes.ts";
import { commandLine } from "./command-line.ts";

commandLine({
  usage: `npm run package-report

Prints the size and the import time of each function, and exits with 1 if one is over its budget.`,
});

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-report-"));
try {
  console.log("Packaging …");
  const packaged = await packageService(folder);
  const sizes = await packageSizes(packaged);
  console.log(`Importing each of ${sizes.length} functions ten times …`);
  const { baselineMs, importMs } = await measureImports(packaged);
  const faults = sizes.flatMap((size) => {
    const ms = importMs.get(size.name) ?? 0;
    console.log(`\n${describe(size, ms, baselineMs)}`);
    return [sizeFault(size), importFault(size.name, ms, baselineMs)].filter((fault) => fault !== undefined);
  });
  console.log(faults.length > 0 ? `\n${faults.join("\n")}` : "\nEvery function is within its budget.");
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  await rm(folder, { recursive: true, force: true });
}

function describe({ name, zipBytes, servedBytes, inputs }: FunctionSize, ms: number, baselineMs: number) {
  const served = servedBytes > 0 ? `, including ${kilobytes(servedBytes)} of served files` : "";
  const times = (ms / baselineMs).toFixed(1);
  const imported = `imported in ${Math.round(ms)} ms of processor time, ${times} times the baseline`;
  const largest = inputs.map((input) => `  ${kilobytes(input.bytes).padStart(8)}  ${input.path}`);
  return [`${name}: ${kilobytes(zipBytes)}${served}; ${imported}`, ...largest].join("\n");
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
