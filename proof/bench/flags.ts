import { commandLine, numberIn, refuse } from "../../scripts/command-line.ts";

const usage = `npm run bench -- [--quick] [--only NAME] [--latency MS] [--compare BASE_URL] [--no-access-log] [--no-metrics]
                [--no-tracing]
npm run bench -- --against COMMIT [--quick] [--only NAME]
npm run bench -- --write [--quick]
npm run bench -- [--cold-start] [--reports] [--memory] [--blocking] [--files] [--floods] [--trials] [--lti]
                [--scim] [--saml] [--neon] [--visit [--quick]]
npm run bench -- [--scale] [--decade] [--upgrade] [--share N] [--data FOLDER] [--load-only]

Measures speed as ratios to a baseline on this machine, in one run. The main baseline is a bare server that handles each request
with one named statement.

--quick              one round of everything, in a minute; also for --visit, whose costs are then not stored
--only NAME          only operations, or floods, whose names contain the word
--latency MS         adds this time to each round trip to the database
--compare BASE_URL   compares with another server on the same database instead of the bare one
--against COMMIT     processor time of each operation beside another commit's, in alternating rounds; six minutes
--no-access-log      without the access log, to measure its cost
--no-metrics         without metrics, to measure their cost
--no-tracing         without tracing of LLM calls
--write              measures everything, also with 5 ms for each round trip and with each feature off; writes
                     docs/reference/measurements.md and docs/reference/performance-costs.json; a quarter of an hour, on an idle machine;
                     with --quick only 16 concurrent requests, no stream memory and no floods, in four minutes
--scale              every read of a large platform, which takes minutes to load, compared with a small one
--reports            every report of a platform with much activity, which takes as long to load
--cold-start         processor time of packaged functions from their start to their first answer, and of later requests
--memory             memory of a thousand concurrent private answers; two minutes
--blocking           how long a list of ten thousand modules blocks other requests
--files              cost of large uploads to a bucket and downloads for the server process
--floods             waiting times of others while one client floods the service; two minutes
--trials             cost of a prompt trial at fifty places, and its effect on learners; a minute
--lti                a thousand launches from an LMS, and ten thousand grades to one that fails a tenth of the time; a
                     thousand launches of a tool, and ten thousand scores from it, every tenth faulty; five minutes
--scim               ten thousand people from a directory: time, processor time and memory of the server process
--saml               a SAML response, a hostile one, and concurrent ones of a class
--decade             ten years of a large university and a hundred small ones, compared with bounds
--data FOLDER        stores the ten years, or the large platform, there for the next measurement
--load-only          loads them into that folder without measuring
--upgrade            waiting times while a database of the last release with five million rows is migrated
--share N            share of the ten years, or of the five million rows, from 0.001 to 1
--visit              cost of each request of a learner's visit in the web application, into
                     docs/reference/performance-costs.json, and of the database with names and without; four minutes
--neon               a visit on the path of a function at Neon, beside the one that all else measures, and round trips and
                     bytes of each operation at 2 ms; three minutes`;

export function parseBenchFlags() {
  const flag = { type: "boolean", default: false } as const;
  const { flags } = commandLine({
    usage,
    flags: {
      quick: flag,
      only: { type: "string" },
      latency: { type: "string" },
      compare: { type: "string" },
      against: { type: "string" },
      "no-access-log": flag,
      "no-metrics": flag,
      "no-tracing": flag,
      write: flag,
      scale: flag,
      reports: flag,
      "cold-start": flag,
      memory: flag,
      blocking: flag,
      files: flag,
      floods: flag,
      trials: flag,
      lti: flag,
      scim: flag,
      saml: flag,
      neon: flag,
      decade: flag,
      upgrade: flag,
      visit: flag,
      share: { type: "string", default: "1" },
      data: { type: "string" },
      "load-only": flag,
    },
  });
  if (Number.isNaN(Number(flags.latency ?? 0))) refuse(`--latency must be a number of milliseconds`, usage);
  if (flags["load-only"] && !flags.data) refuse(`--load-only requires --data`, usage);
  return { ...flags, share: numberIn("share", flags.share, 0.001, 1, usage) };
}

export type BenchFlags = ReturnType<typeof parseBenchFlags>;
