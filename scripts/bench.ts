/** `npm run bench`: speed as ratios against a stated baseline, on this machine, in one run. */
import { benchAnswers } from "./bench/answers.ts";
import { benchCachedAnswer } from "./bench/cached-answer.ts";
import { benchReads } from "./bench/reads.ts";
import { printVerdicts, type Verdict } from "./bench/report.ts";
import { benchSecondStart } from "./bench/second-start.ts";
import { openStage } from "./bench/stage.ts";

const stage = await openStage();
const verdicts: Verdict[] = [];
try {
  for (const part of [benchCachedAnswer, benchReads, benchAnswers, benchSecondStart]) {
    const found = await part(stage);
    printVerdicts(found);
    verdicts.push(...found);
  }
} finally {
  await stage.close();
}
process.exitCode = verdicts.every((verdict) => verdict.reached) ? 0 : 1;
