/** Seeds faults and compares those found by `npm test` and by `npm run test:all`. */
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { commandLine } from "../../scripts/command-line.ts";
import { findAllPossibleMutants, repositoryRoot, sampleMutants } from "./catalog.ts";
import {
  recordCoverage,
  runMissedWithAllTests,
  runMissedWithOtherTests,
  runMutantsIndividually,
} from "./check.ts";
import { buildMutationReport } from "./report.ts";
import { MutantResultLog } from "./results.ts";

const { flags } = commandLine({
  usage: `npx node proof/mutation-check/run.ts [--count 320] [--jobs 2] [--only ID] [--resume] [--list]

Seeds faults into guards, policy, tenancy, validation and SQL conditions, one at a time and in memory alone. Fails when
npm test misses more than 2 % of those that test:all finds.

--count N   how many faults
--seed N    which of them
--jobs N    how many run at once, each with a PostgreSQL of its own
--only ID   one of them, with what a check of all has observed
--resume    goes on where a check of the same faults was stopped
--list      prints the faults and runs nothing
--folder F  where results are kept`,
  flags: {
    count: { type: "string", default: "320" },
    seed: { type: "string", default: "1" },
    jobs: { type: "string", default: "2" },
    only: { type: "string" },
    resume: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    folder: { type: "string", default: path.join(repositoryRoot, "node_modules/.cache/mutation-check") },
  },
});

const all = findAllPossibleMutants();
const chosen = sampleMutants(all, Number(flags.count), Number(flags.seed));
const mutants = flags.only ? chosen.filter(({ id }) => id === flags.only) : chosen;

if (flags.list) {
  for (const { id, category, operator, file, line } of mutants)
    console.log(`${id} ${category} ${operator} ${file}:${line}`);
  console.log(`${mutants.length} of ${all.length} faults`);
} else {
  if (!flags.resume && !flags.only) rmSync(flags.folder, { recursive: true, force: true });
  mkdirSync(flags.folder, { recursive: true });
  const results = new MutantResultLog(path.join(flags.folder, "results.jsonl"));
  const options = {
    jobs: Number(flags.jobs),
    coverage: path.join(flags.folder, "coverage.jsonl"),
    say: (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
  };
  await recordCoverage(chosen, options);
  await runMutantsIndividually(mutants, results, options);
  await runMissedWithOtherTests(mutants, results, options);
  await runMissedWithAllTests(mutants, results, options);
  const { text, holds } = buildMutationReport(mutants, results);
  console.log(`\n${text}`);
  process.exitCode = holds ? 0 : 1;
}
