/**
 * `npm run bench`: speed as ratios against a stated baseline, on this machine, in one run: first of all against a bare
 * server that does each request in one named statement. `-- --quick` does that in a minute, with one round of
 * everything; `--only NAME` takes the operations whose names have the word, `--latency MS` puts that time on each round
 * trip to the database, `--compare BASE_URL` puts another server, on the same database, in the bare one's place, and
 * `--no-access-log` and `--no-metrics` say what these cost. With `--scale`, every read of a large platform, which takes
 * minutes to load, against the same read of a small one; with `--reports`, in the same way every report of a platform
 * on which much has happened.
 */
import { benchAgainstLimit } from "./bench/against-limit.ts";
import { benchAnswers } from "./bench/answers.ts";
import { benchCachedAnswer } from "./bench/cached-answer.ts";
import { openBenchEnvironment } from "./bench/environment.ts";
import { has } from "./bench/flags.ts";
import { printVerdicts, type Verdict } from "./bench/report.ts";
import { benchReports } from "./bench/reports.ts";
import { benchScale } from "./bench/scale.ts";
import { benchSecondStart } from "./bench/second-start.ts";

const large = [...(has("--scale") ? [benchScale] : []), ...(has("--reports") ? [benchReports] : [])];
const isPartial = ["--quick", "--only", "--latency", "--compare", "--no-access-log", "--no-metrics"].some(
  has,
);
const usual = isPartial
  ? [benchAgainstLimit]
  : [benchAgainstLimit, benchCachedAnswer, benchAnswers, benchSecondStart];
const parts = large.length > 0 ? large : usual;

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
