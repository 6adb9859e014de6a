import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { closeAndGradeDueAttempts } from "../../lib/assessment/grade-closed-attempts.ts";
import type { Person } from "../support/client.ts";
import { openDryRun } from "../support/dry-run.ts";
import { fullAddressOf, type Operation, operations } from "../support/operations.ts";

/** The learner's attempt has right answers, and its time was up an hour ago. */
const dryRun = openDryRun(async (world, { learner, paths }) => {
  const { rows } = await world.deps.db.execute<{ id: number }>(
    sql`select id from questions where question_pool_id = ${paths["question_pool_id"]} order by id`,
  );
  const right = ["B", ["C", "A"], true, 9.7, "isaac newton"];
  const responses = rows.map(({ id }, at) => ({ question_id: id, response: right[at] }));
  const saved = await world
    .as(learner)
    .put(`/assessments/attempts/${paths["attempt_id"]}/responses`, { responses });
  expect(saved.status).toBe(200);
  await world.deps.db.execute(sql`
    update quiz_attempts set started_at = '2026-03-10T10:00:00Z', due_at = '2026-03-10T11:00:00Z'
    where id = ${paths["attempt_id"]}`);
});

const reads = operations.filter(({ method }) => method === "GET");

/** Reads that show the attempt once the job, or one of the other reads, has stored it. */
const later: Readonly<Record<string, string[]>> = {
  "a percentage of the course": [
    "getEnrollment by learner",
    "getMyOverview by learner",
    "listMyEnrollments by learner",
    "listUserEnrollments by admin",
    "listUserEnrollments by learner",
  ],
  "a report": [
    "getAdminAnalyticsAssessments by admin",
    "getAdminAnalyticsEngagement by admin",
    "getAdminAnalyticsProgress by admin",
    "getCourseStats by admin",
    "getUniversityAnalytics by admin",
  ],
  "a comparison with the stored result": ["previewQuizRegrade by admin"],
};

/** The callers who see the most: a reader of everything, and the learner. */
function callersOf({ contract: { access } }: Operation): Record<string, Person | undefined> {
  const { people, learner } = dryRun.university;
  const admin = people.find(({ name }) => name === "platform_admin of the university");
  return access.kind === "anyone" ? { anyone: undefined } : { admin, learner };
}

async function readAll(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const operation of reads)
    for (const [name, person] of Object.entries(callersOf(operation))) {
      const path = fullAddressOf(operation, dryRun.university.paths);
      const { status, text } = await dryRun.ask(person, { method: "GET", path });
      found.set(`${operation.contract.id} by ${name}`, `${status} ${text}`);
    }
  return found;
}

it("an attempt whose time is up shows the same in every read before and after the job has stored it", async () => {
  const before = await readAll();
  const again = await readAll();
  expect(before.get("getQuizAttempt by learner")).toContain('"score_obtained":5');
  await closeAndGradeDueAttempts(dryRun.world.deps, new AbortController().signal);
  const after = await readAll();
  // Without those that differ each time, such as new links.
  const alike = [...before.keys()].filter((read) => before.get(read) === again.get(read));
  expect(alike.length).toBeGreaterThan(200);
  const changed = alike.filter((read) => before.get(read) !== after.get(read));
  expect(changed.toSorted()).toEqual(Object.values(later).flat().toSorted());
});
