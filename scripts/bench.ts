/**
 * `npm run bench`: measures speed relative to a baseline; see `-- --help`. Exits with 1 if a bound is
 * exceeded.
 */
import { benchAgainstBaseline } from "../proof/bench/against-baseline.ts";
import { benchAnswerChecks } from "../proof/bench/answer-checks.ts";
import { benchAnswers } from "../proof/bench/answers.ts";
import { benchCachedAnswer } from "../proof/bench/cached-answer.ts";
import { benchDecade } from "../proof/bench/decade.ts";
import { type BenchEnvironment, openBenchEnvironment } from "../proof/bench/environment.ts";
import { benchFlags } from "../proof/bench/flags.ts";
import { benchFloods } from "../proof/bench/floods.ts";
import { benchLargeList } from "../proof/bench/large-list.ts";
import { benchLti } from "../proof/bench/lti.ts";
import { benchNeonPath } from "../proof/bench/neon-path.ts";
import { benchStreams } from "../proof/bench/private-streams.ts";
import { printVerdicts, type Verdict } from "../proof/bench/report.ts";
import { benchReports } from "../proof/bench/reports.ts";
import { benchSaml } from "../proof/bench/saml.ts";
import { benchScale } from "../proof/bench/scale.ts";
import { benchScim } from "../proof/bench/scim.ts";
import { benchSecondStart } from "../proof/bench/second-start.ts";
import { benchStoredFiles } from "../proof/bench/stored-files.ts";
import { benchTrials } from "../proof/bench/trials.ts";
import { benchUpgrade } from "../proof/bench/upgrade.ts";
import { benchVisit } from "../proof/bench/visit.ts";
import { writePerformance } from "../proof/bench/write-performance.ts";

const flags = benchFlags();
const single = [
  ...(flags.scale ? [benchScale(flags)] : []),
  ...(flags.reports ? [benchReports] : []),
  ...(flags.blocking ? [benchLargeList] : []),
  ...(flags.files ? [benchStoredFiles] : []),
  ...(flags.memory ? [benchStreams] : []),
  ...(flags.floods ? [benchFloods] : []),
  ...(flags.trials ? [benchTrials] : []),
  ...(flags.lti ? [benchLti] : []),
  ...(flags.scim ? [benchScim] : []),
  ...(flags.saml ? [benchSaml] : []),
  ...(flags.neon ? [benchNeonPath] : []),
  ...(flags.visit ? [benchVisit(flags.quick)] : []),
  ...(flags.upgrade ? [benchUpgrade(flags.share)] : []),
  ...(flags.decade ? [benchDecade(flags.share, flags)] : []),
];
const isPartial =
  flags.quick ||
  flags["no-access-log"] ||
  flags["no-metrics"] ||
  flags["no-tracing"] ||
  [flags.only, flags.latency, flags.compare].some((given) => given !== undefined);
const againstLimit = (stage: BenchEnvironment) => benchAgainstBaseline(stage, flags);
const usual = isPartial
  ? [againstLimit]
  : [againstLimit, benchCachedAnswer, benchAnswers, benchAnswerChecks, benchFloods, benchSecondStart];
const written = (stage: BenchEnvironment) => writePerformance(stage, flags.quick);
const parts = flags.write ? [written] : single.length > 0 ? single : usual;

const stage = await openBenchEnvironment(flags.data);
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
