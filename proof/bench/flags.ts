import { commandLine, numberIn, refuse } from "../../scripts/command-line.ts";

const usage = `npm run bench -- [--quick] [--only NAME] [--latency MS] [--compare BASE_URL] [--no-access-log] [--no-metrics]
                [--no-tracing]
npm run bench -- --write [--quick]
npm run bench -- [--reports] [--memory] [--blocking] [--files] [--floods] [--trials] [--lti]
                [--scim] [--saml] [--neon] [--visit [--quick]]
npm run bench -- [--scale] [--decade] [--upgrade] [--share N] [--data FOLDER] [--load-only]

Speed as ratios against a stated baseline, on this machine, in one run: first of all against a bare server that does
each request in one named statement.

--quick              one round of everything, in a minute; a visit too, whose costs are not kept then
--only NAME          the operations whose names have the word
--latency MS         puts that time on each round trip to the database
--compare BASE_URL   puts another server, on the same database, in the bare one's place
--no-access-log      without the log of requests: says what it costs
--no-metrics         without metrics: says what they cost
--no-tracing         without following the calls of the LLM
--write              all of it, also with 5 ms on each round trip and with each feature off, into docs/reference/measurements.md
                     and the costs into docs/reference/performance-costs.json; a quarter of an hour, on a machine that does nothing
                     else; with --quick only 16 at once, and without the memory of streams and the floods, in four minutes
--scale              every read of a large platform, which takes minutes to load, against the same read of a small one
--reports            every report of a platform on which much has happened, which takes as long to load
--memory             what a thousand answers at once take, each for one learner alone; two minutes
--blocking           for how long a list of ten thousand modules keeps everyone else waiting
--files              what large files that go to a bucket and come from it take of the process that answers
--floods             what others wait while someone floods the service with one thing; two minutes
--trials             a trial of a prompt over fifty places: what it takes, and whether learners can tell meanwhile; a minute
--lti                a thousand launches from an LMS, and ten thousand grades to one that fails a tenth of the time; two
                     minutes
--scim               ten thousand people whom a directory provisions: time, processor and memory of the process that answers
--saml               a response of an identity provider by SAML, a hostile one, and those of a class at once
--decade             ten years of a large university and a hundred small ones: what they take,
                     as bounds
--data FOLDER        keeps the ten years, or the large platform, there: the next time they are measured without being loaded
--load-only          loads them into that folder, and measures nothing
--upgrade            what requests wait while a database of the last release with five million rows is migrated
--share N            of the ten years, or of the five million rows, from 0.001 to 1, which is the whole
--visit              what each request of a learner's visit in the web application costs, into
                     docs/reference/performance-costs.json, and of the database with names and without; four minutes
--neon               a visit on the path of a function at Neon, beside the one that all else measures; two minutes`;

export function benchFlags() {
  const flag = { type: "boolean", default: false } as const;
  const { flags } = commandLine({
    usage,
    flags: {
      quick: flag,
      only: { type: "string" },
      latency: { type: "string" },
      compare: { type: "string" },
      "no-access-log": flag,
      "no-metrics": flag,
      "no-tracing": flag,
      write: flag,
      scale: flag,
      reports: flag,
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
  if (Number.isNaN(Number(flags.latency ?? 0))) refuse(`--latency is a number of milliseconds`, usage);
  if (flags["load-only"] && !flags.data) refuse(`--load-only needs --data`, usage);
  return { ...flags, share: numberIn("share", flags.share, 0.001, 1, usage) };
}

export type BenchFlags = ReturnType<typeof benchFlags>;
