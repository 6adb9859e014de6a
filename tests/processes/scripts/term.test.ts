import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { daysLate, latePenaltyPoints } from "../../../proof/term-simulation/definitions.ts";
import { runTermSimulation } from "../../../proof/term-simulation/run.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

describe("a term of four weeks", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneDatabase();
  });
  afterAll(() => database.drop());

  it("appears correctly in every report and screen", async () => {
    const weeks: string[] = [];
    const calendar = { step: () => {}, week: (line: string) => weeks.push(line) };
    const { differences, ledger, text } = await runTermSimulation(
      { people: 18, weeks: 4, seed: 9 },
      database.url,
      calendar,
    );
    expect(differences, text).toEqual([]);
    expect(weeks).toHaveLength(5);
    // Checks that the data is not empty.
    const statuses = new Set(ledger.enrollments.map(({ status }) => status));
    expect([...statuses].sort()).toEqual(["ACTIVE", "COMPLETED", "DROPPED", "WAITLISTED"]);
    const { attempts, conversations, enrollments, posts, ratings, works } = ledger;
    const exams = attempts.filter(({ item }) => item.kind === "exam");
    expect(new Set(exams.map(({ passed }) => passed)), "exams passed and failed").toEqual(
      new Set([true, false]),
    );
    const failed = attempts.filter(({ item, passed }) => item.kind === "quiz" && !passed);
    expect(failed.length, "quizzes failed that may be taken again").toBeGreaterThan(0);
    expect(works.some((work) => daysLate(work) > 0)).toBe(true);
    expect(
      works.some(({ shared }) => shared.length > 1),
      "work of a group",
    ).toBe(true);
    expect(
      works.some((work) => latePenaltyPoints(work) > 0),
      "work that lost by being late",
    ).toBe(true);
    expect(
      works.some(({ item, enrollment }) => item.isAnonymous && enrollment.run.namedOn),
      "work without a name",
    ).toBe(true);
    const given = enrollments.filter(({ learner }) => learner.accommodation);
    expect(
      given.some(({ deeds }) => deeds.length > 0),
      "learners with more time",
    ).toBe(true);
    const learners = new Set(enrollments.map(({ learner }) => learner));
    expect([...learners].filter(({ isErased }) => isErased).length).toBe(3);
    expect(
      [...learners].some(({ former }) => former),
      "someone who came back",
    ).toBe(true);
    const runsOf = (learner: object) =>
      enrollments.filter((enrollment) => enrollment.learner === learner).map(({ run }) => run);
    const isTwice = (learner: object) =>
      runsOf(learner).some((run, at, all) => all.findIndex(({ course }) => course === run.course) < at);
    expect([...learners].some(isTwice), "someone in two runs of a course").toBe(true);
    for (const some of [attempts, conversations, ratings]) expect(some.length).toBeGreaterThan(0);
    expect(conversations.some(({ hits }) => hits > 0)).toBe(true);
    expect(posts).toBeGreaterThan(0);
    expect(new Set(ledger.works.map(({ state }) => state))).toEqual(
      new Set(["graded", "returned", "submitted"]),
    );
    expect(new Set(ledger.certificates.map(({ state }) => state))).toEqual(
      new Set(["VALID", "REVOKED", "REPLACED"]),
    );
    const certified = ledger.certificates.map(({ enrollment }) => enrollment.final?.passed);
    expect(certified).toEqual(expect.arrayContaining([true, undefined]));
  });
});
