/** A project's files that only `npm run test:all` runs: those `files`, or all except some. */
export type OnlyInAll = { project: string; why: string } & ({ files: string[] } | { allBut: string[] });

/** Files that only `npm run test:all` runs, and why. Both commands run files named on the command line. */
export const onlyInAll: OnlyInAll[] = [
  {
    project: "browser",
    why: "Chromium is dear. These walk through what learners and teachers do daily; the API's tests hold the rest.",
    allBut: [
      "tests/processes/browser/first-load.test.ts",
      "tests/processes/browser/gradebook.test.ts",
      "tests/processes/browser/keyboard-day.test.ts",
      "tests/processes/browser/learner.test.ts",
      "tests/processes/browser/quiz.test.ts",
      "tests/processes/browser/sign-in.test.ts",
      "tests/processes/browser/teaching-desk.test.ts",
      "tests/processes/browser/tutor.test.ts",
      "tests/processes/browser/visit.test.ts",
    ],
  },
  {
    project: "process",
    why: "Each starts servers or scripts. These hold what others build on: guides, releases, Lambda's handlers, the client.",
    allBut: [
      "tests/processes/client/client.test.ts",
      "tests/processes/guides.test.ts",
      "tests/processes/handlers.test.ts",
      "tests/processes/last-release.test.ts",
    ],
  },
  {
    project: "api-pg",
    why: "They keep the processor busy on purpose: large files and answers, and many passwords at once.",
    files: [
      "tests/api/identity/auth/hashing-turns.test.ts",
      "tests/api/http/large-answers.test.ts",
      "tests/api/http/reading-files.test.ts",
      "tests/api/integrations/hostile-files.test.ts",
    ],
  },
  {
    project: "db",
    why: "`npm run check` compares the schema with the migrations as well.",
    files: ["tests/db/platform/schema-drift.test.ts"],
  },
  {
    project: "db",
    why: "It grades 1,000 random schemes. Other tests hold the rule for one scheme each.",
    files: ["tests/db/functions/assessment/random-schemes.test.ts"],
  },
  {
    project: "db",
    why: "A database is upgraded once a release. Each test of the suite migrates one.",
    files: [
      "tests/db/platform/migrate.test.ts",
      "tests/db/platform/upgrade-under-load.test.ts",
      "tests/db/scripts/upgrade.test.ts",
    ],
  },
  {
    project: "db",
    why: "They race erasures, imports and roll-ups, which are rare. The functions themselves have their tests in npm test.",
    files: [
      "tests/db/operations/races-after-erasures.test.ts",
      "tests/db/operations/races-in-erasures.test.ts",
      "tests/db/operations/races-in-months.test.ts",
      "tests/db/operations/races-in-roll-up.test.ts",
      "tests/db/identity/races-of-erasures-and-sign-ins.test.ts",
      "tests/db/integrations/races-of-imports.test.ts",
      "tests/db/operations/races-of-university-erasures.test.ts",
    ],
  },
  {
    project: "db",
    why: "They load much data, or plan each report for it. How statements grow with the data changes seldom.",
    files: [
      "tests/db/assessment/large-gradebook.test.ts",
      "tests/db/integrations/imports.test.ts",
      "tests/db/operations/large-desk.test.ts",
      "tests/db/operations/plans-of-reports.test.ts",
      "tests/db/tutor/retrieval/by-meaning.test.ts",
    ],
  },
  {
    project: "db",
    why: "They compare stored sums with their rows after hundreds of random changes. Each change has a test in npm test.",
    files: ["tests/db/courses/course-progress.test.ts", "tests/db/identity/university-days.test.ts"],
  },
  {
    project: "api-pg",
    why: "It compares stored sums with their rows after hundreds of random changes. Each change has a test in npm test.",
    files: ["tests/api/operations/admin/standing-totals.test.ts"],
  },
  {
    project: "db",
    why: "They start PostgreSQL servers of their own, as each run of tests does.",
    files: [
      "tests/db/platform/clock-jumps.test.ts",
      "tests/db/platform/local-postgres.test.ts",
      "tests/db/platform/prepared-cluster.test.ts",
    ],
  },
  {
    project: "db",
    why: "Operators run these scripts seldom, and their data takes long to make.",
    files: [
      "tests/db/scripts/activity.test.ts",
      "tests/db/scripts/backup.test.ts",
      "tests/db/scripts/decade.test.ts",
      "tests/db/scripts/scale-data.test.ts",
      "tests/db/scripts/university-under-load.test.ts",
      "tests/db/scripts/university.test.ts",
    ],
  },
  { project: "repo", why: "It packages every function.", files: ["tests/repo/lambda.test.ts"] },
  {
    project: "repo",
    why: "It keeps the processor busy on purpose: the heaviest body of every operation.",
    files: ["tests/repo/bounds.test.ts"],
  },
  {
    project: "repo",
    why: "It compares every response before and after each act on anonymous work. Each rule has a test in npm test.",
    files: ["tests/repo/anonymous-traces.test.ts"],
  },
  {
    project: "repo",
    why: "Spectral takes 25 s for the API document. Redocly's rules, in openapi.test.ts, take one.",
    files: ["tests/repo/spectral.test.ts"],
  },
  {
    project: "repo",
    why: "It attacks each regular expression of the code with long texts.",
    files: ["tests/repo/patterns.test.ts"],
  },
];
