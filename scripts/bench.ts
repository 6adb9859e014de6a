/**
 * `npm run bench`: speed as ratios against a stated baseline; `-- --help` says what it can be told. Exits with 1 when a
 * bound is not kept.
 */
import { benchAgainstLimit } from "./bench/against-limit.ts";
import { benchAnswers } from "./bench/answers.ts";
import { benchCachedAnswer } from "./bench/cached-answer.ts";
import { type BenchEnvironment, openBenchEnvironment } from "./bench/environment.ts";
import { benchFlags } from "./bench/flags.ts";
import { benchLargeList } from "./bench/large-list.ts";
import { benchStreams } from "./bench/private-streams.ts";
import { printVerdicts, type Verdict } from "./bench/report.ts";
import { benchReports } from "./bench/reports.ts";
import { benchScale } from "./bench/scale.ts";
import { benchSecondStart } from "./bench/second-start.ts";
import { writePerformance } from "./bench/write-performance.ts";

const flags = benchFlags();
const single = [
  ...(flags.scale ? [benchScale] : []),
  ...(flags.reports ? [benchReports] : []),
  ...(flags.blocking ? [benchLargeList] : []),
  ...(flags.memory ? [benchStreams] : []),
];
const isPartial =
  flags.quick ||
  flags["no-access-log"] ||
  flags["no-metrics"] ||
  flags["no-tracing"] ||
  [flags.only, flags.latency, flags.compare].some((given) => given !== undefined);
const againstLimit = (stage: BenchEnvironment) => benchAgainstLimit(stage, flags);
const usual = isPartial ? [againstLimit] : [againstLimit, benchCachedAnswer, benchAnswers, benchSecondStart];
const written = (stage: BenchEnvironment) => writePerformance(stage, flags.quick);
const parts = flags.write ? [written] : single.length > 0 ? single : usual;

const stage = await openBenchEnvironment();
const verdicts: Verdict[] = [];
try {
  for (const part of parts) {
    const found = await part(stage);
    printVerdicts(found);
    verdicts.push(...found);
  }
} finally {
  await stage.close();
}
process.exitCode = verdicts.every((verdict) => verdict.reached) ? 0 : 1;
