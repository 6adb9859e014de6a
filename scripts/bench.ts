/**
 * `npm run bench`: speed as ratios against a stated baseline, on this machine, in one run. With `-- --scale`, every
 * read of a large platform, which takes minutes to load, against the same read of a small one; with `-- --reports`, in
 * the same way every report of a platform on which much has happened.
 */
import { benchAnswers } from "./bench/answers.ts";
import { benchCachedAnswer } from "./bench/cached-answer.ts";
import { openBenchEnvironment } from "./bench/environment.ts";
import { benchReads } from "./bench/reads.ts";
import { printVerdicts, type Verdict } from "./bench/report.ts";
import { benchReports } from "./bench/reports.ts";
import { benchScale } from "./bench/scale.ts";
import { benchSecondStart } from "./bench/second-start.ts";

const large = [
  ...(process.argv.includes("--scale") ? [benchScale] : []),
  ...(process.argv.includes("--reports") ? [benchReports] : []),
];
const parts = large.length > 0 ? large : [benchCachedAnswer, benchReads, benchAnswers, benchSecondStart];

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
