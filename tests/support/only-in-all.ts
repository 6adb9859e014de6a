/** Files of a project that `npm test` leaves to `npm run test:all`: those `files`, or all but some. */
export type OnlyInAll = { project: string; why: string } & ({ files: string[] } | { allBut: string[] });

/** What only `npm run test:all` runs, and why. Both commands run a file that their command line names. */
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
  { project: "repo", why: "It packages every function.", files: ["tests/repo/lambda.test.ts"] },
  {
    project: "repo",
    why: "Linting the whole API document takes 25 s; Redocly's rules, in openapi.test.ts, find most faults in one.",
    files: ["tests/repo/spectral.test.ts"],
  },
  {
    project: "repo",
    why: "Attacks on each regular expression of the code.",
    files: ["tests/repo/patterns.test.ts"],
  },
];
