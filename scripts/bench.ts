/**
 * `npm run bench`: measures speed relative to a baseline; see `-- --help`. Exits with 1 if a bound is
 * exceeded.
 */
import { benchAgainstBaseline } from "../proof/bench/against-baseline.ts";
import { benchCpuTimeAgainstCommit } from "../proof/bench/against-commit.ts";
import { benchTutorAnswerChecks } from "../proof/bench/answer-checks.ts";
import { benchCachedAnswerRoundTrips } from "../proof/bench/cached-answer-round-trips.ts";
import { benchLambdaColdStart } from "../proof/bench/cold-start.ts";
import { benchTenYearsOfData } from "../proof/bench/decade.ts";
import { benchDevServerRestart } from "../proof/bench/dev-server-restart.ts";
import { type BenchEnvironment, openBenchEnvironment } from "../proof/bench/environment.ts";
import { parseBenchFlags } from "../proof/bench/flags.ts";
import { benchFloods } from "../proof/bench/floods.ts";
import { benchLargeListBlocking } from "../proof/bench/large-list.ts";
import { benchLtiLaunchesAndGrades } from "../proof/bench/lti.ts";
import { benchToolLaunchesAndScores } from "../proof/bench/lti-tools.ts";
import { measureAllAndWriteDocument } from "../proof/bench/measurements-document.ts";
import { benchVisitOverNeonProxy } from "../proof/bench/neon-path.ts";
import { benchPrivateStreamMemory } from "../proof/bench/private-streams.ts";
import { benchReplayAndLiveFollowers } from "../proof/bench/replayed-and-live-answers.ts";
import { type BenchVerdict, printVerdicts } from "../proof/bench/report.ts";
import { benchAnalyticsReports } from "../proof/bench/reports.ts";
import { benchSamlResponseVerification } from "../proof/bench/saml.ts";
import { benchReadLatencyByDataSize } from "../proof/bench/scale.ts";
import { benchScimProvisioning } from "../proof/bench/scim.ts";
import { benchFileIoAndBlocking } from "../proof/bench/stored-files.ts";
import { benchPromptStepTrial } from "../proof/bench/trials.ts";
import { benchRequestsDuringMigration } from "../proof/bench/upgrade.ts";
import { benchLearnerVisitCpuCosts } from "../proof/bench/visit.ts";

const flags = parseBenchFlags();
const single = [
  ...(flags.against ? [benchCpuTimeAgainstCommit(flags.against, flags)] : []),
  ...(flags.scale ? [benchReadLatencyByDataSize(flags)] : []),
  ...(flags.reports ? [benchAnalyticsReports] : []),
  ...(flags.blocking ? [benchLargeListBlocking] : []),
  ...(flags.files ? [benchFileIoAndBlocking] : []),
  ...(flags["cold-start"] ? [benchLambdaColdStart] : []),
  ...(flags.memory ? [benchPrivateStreamMemory] : []),
  ...(flags.floods ? [benchFloods(flags)] : []),
  ...(flags.trials ? [benchPromptStepTrial] : []),
  ...(flags.lti
    ? [benchLtiLaunchesAndGrades, (stage: BenchEnvironment) => benchToolLaunchesAndScores(stage)]
    : []),
  ...(flags.scim ? [benchScimProvisioning] : []),
  ...(flags.saml ? [() => benchSamlResponseVerification()] : []),
  ...(flags.neon ? [benchVisitOverNeonProxy] : []),
  ...(flags.visit ? [benchLearnerVisitCpuCosts(flags.quick)] : []),
  ...(flags.upgrade ? [benchRequestsDuringMigration(flags.share)] : []),
  ...(flags.decade ? [benchTenYearsOfData(flags.share, flags)] : []),
];
const isPartial =
  flags.quick ||
  flags["no-access-log"] ||
  flags["no-metrics"] ||
  flags["no-tracing"] ||
  [flags.only, flags.latency, flags.compare].some((given) => given !== undefined);
const againstLimit = (stage: BenchEnvironment) => benchAgainstBaseline(stage, flags);
const defaultBenchNames = isPartial
  ? [againstLimit]
  : [
      againstLimit,
      benchCachedAnswerRoundTrips,
      benchReplayAndLiveFollowers,
      benchTutorAnswerChecks,
      benchFloods(flags),
      benchDevServerRestart,
    ];
const written = (stage: BenchEnvironment) => measureAllAndWriteDocument(stage, flags.quick);
const parts = flags.write ? [written] : single.length > 0 ? single : defaultBenchNames;

const stage = await openBenchEnvironment(flags.data);
const verdicts: BenchVerdict[] = [];
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
