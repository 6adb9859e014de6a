/** `npm run check functions`: counts the functions and triggers of schema/functions. Exits with 1 if a bound is broken. */
import { commandLine } from "../../command-line.ts";
import { bounds, type Counted } from "./bounds.ts";
import { boundsBroken, countsOf } from "./count.ts";
import { type DatabaseFunction, readDefinitions, readSources } from "./read.ts";

const { flags } = commandLine({
  usage:
    "npm run check functions [-- --list]\n\nCounts database functions and triggers. --list names the functions that may be removed.",
  flags: { list: { type: "boolean", default: false } },
});

const definitions = readDefinitions(readSources());
const { limited, candidates } = countsOf(definitions);
if (limited.functions === 0) throw new Error("schema/functions has no functions");
const lines = [
  ...(Object.keys(bounds) as Counted[]).map((one) => `${limited[one]} ${one} (at most ${bounds[one]})`),
  ...Object.entries(candidates).flatMap(([kind, functions]) => [
    `${functions.length} ${kind}`,
    ...(flags.list ? functions.map(lineOf) : []),
  ]),
];
console.log(lines.join("\n"));
const broken = boundsBroken(limited);
for (const line of broken) console.error(line);
process.exitCode = broken.length > 0 ? 1 : 0;

function lineOf({ name, file, lines, parameters, inSql, inCode }: DatabaseFunction): string {
  const callers = [...inSql, ...inCode].join(", ");
  return `  ${file} ${name}: ${lines} lines, ${parameters} parameters${callers && `; ${callers}`}`;
}
