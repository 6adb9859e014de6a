import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import type { Person, Reply } from "../support/client.ts";
import { openLab } from "../support/lab.ts";
import { makersOf } from "../support/makers.ts";
import { addressOf, operations, pathOf } from "../support/operations.ts";
import { sendFile } from "../support/send-file.ts";
import { type Traces, tiesIn } from "../support/ties.ts";
import { openWorld } from "../support/world.ts";

/*
 * Covers all GET operations about anonymous work, its author, item or offering, and all responses to its
 * grader. None identifies the author to any permitted caller before grades are released. Afterwards the same
 * requests must, which proves that the check works.
 */

const world = openWorld();
const make = makersOf(world);

const name = "Zephyrine Quillfeather";
const email = "zephyrine.q@people.example.edu";
const [externalId, words, score] = ["ext-zq-7731", "Xylographic interference", 13.37];

let lab: Awaited<ReturnType<typeof openLab>>;
let values: Record<string, unknown>;
let staff: { name: string; person: Person }[];
let traces: Traces;
let submission: number;

const query = async <Row>(text: string) =>
  (await world.deps.db.execute<Row & Record<string, unknown>>(sql.raw(text))).rows as Row[];

beforeAll(async () => {
  world.setNow("2026-03-10T12:00:00.000Z");
  const wide = {
    ...{ users: 7_310_000, lab_submissions: 8_820_000, quiz_attempts: 9_930_000, files: 6_640_000 },
    grade_changes: 5_550_000,
  };
  for (const [table, from] of Object.entries(wide))
    await query(`select setval(pg_get_serial_sequence('${table}', 'id'), ${from})`);
  lab = await openLab(world, { anonymous: true, due_at: "2026-03-11T12:00:00.000Z" });
  const { university, course, offering, module, teacher, assistant, learner } = lab;
  await query(`update users set full_name = '${name}', email = '${email}' where id = ${learner.id}`);
  await query(`insert into sourced_people (university_id, sourced_id, user_id)
    values (${university.id}, '${externalId}', ${learner.id})`);
  const { pool } = await make.questionPool(course);
  const quiz = await make.contentItem(module, university.id, {
    type: "quiz",
    data_json: { question_pool_id: pool.id, anonymous: true },
    due_at: "2026-03-11T12:00:00.000Z",
  });
  const group = await world.as(teacher).post(`/offerings/${offering.id}/groups`, { name: "Quills" });
  await world.as(teacher).put(`/offerings/${offering.id}/groups/${group.body.id}/members/${learner.id}`, {});
  const mine = world.as(learner);
  const scope = { course_offering_id: offering.id, content_item_id: lab.lab.id };
  const file = await sendFile(world.deps, mine, {
    purpose: "SUBMISSION",
    ...scope,
    name: "Quillfeather.txt",
  });
  world.setNow(moment);
  const work = { body: words, file_ids: [file.body.id] };
  submission = (await lab.submit(work)).body.id;
  const attempt = await mine.post(`/assessments/offerings/${offering.id}/quizzes/${quiz.id}/attempts`);
  await mine.post(`/assessments/attempts/${attempt.body.id}/submit`, { responses: [] });
  const codes = await query<{ code: string }>(
    `select code from anonymous_codes where user_id = ${learner.id}`,
  );
  traces = {
    person: [learner.id, name, "Quillfeather", email, externalId],
    work: [
      submission,
      attempt.body.id,
      file.body.id,
      words,
      score,
      5_550_001,
      ...codes.map(({ code }) => code),
    ],
  };
  values = {
    ...{ university_id: university.id, course_id: course.id, offering_id: offering.id, module_id: module.id },
    ...{
      course_offering_id: offering.id,
      user_id: learner.id,
      submission_id: submission,
      file_id: file.body.id,
    },
    ...{ attempt_id: attempt.body.id, group_id: group.body.id, pool_id: pool.id, question_pool_id: pool.id },
  };
  const admin = await make.holder("university_admin", university.id);
  staff = Object.entries({ assistant, admin }).map(([name, person]) => ({ name, person }));
  values["items"] = [lab.lab.id, quiz.id];
});

/** Requests with these values per item, with and without ids in the query. */
function questions(): { id: string; address: string }[] {
  return operations
    .filter(({ method }) => method === "GET")
    .flatMap((operation) =>
      (values["items"] as number[]).flatMap((item) => {
        const known = { ...values, content_item_id: item, assignment_id: item, content_id: item };
        try {
          const plain = pathOf(operation, known);
          const addresses = [plain, addressOf(operation, known)];
          if (operation.contract.id === "readGradebook")
            addresses.push(
              `${plain}?format=csv`,
              `${plain}?content_item_id=${item}`,
              `${plain}?content_item_id=${item}&format=csv`,
            );
          if (operation.contract.id === "listSubmissions")
            addresses.push(`${plain}?q=zephyrine`, `${plain}?sort=full_name`);
          return addresses.map((address) => ({ id: operation.contract.id, address }));
        } catch {
          return [];
        }
      }),
    );
}

/** The submission time: lists of people and events have it next to a name. */
const moment = "2026-03-10T12:07:31.000Z";

/** Operations that reveal the author or the submission time, and to which caller. */
async function askAll(): Promise<string[]> {
  const found = new Set<string>();
  const asked = new Map(questions().map((one) => [one.address, one.id]));
  for (const { name: who, person } of staff)
    for (const [address, id] of asked) {
      const reply = await world.as(person).get(address);
      expect(reply.status, address).toBeLessThan(500);
      if (reply.status >= 400) continue;
      if (tiesIn(reply, address, traces).length > 0) found.add(`${id} to ${who}`);
      if (tiesIn(reply, "", { ...traces, person: [moment] }).length > 0) found.add(`${id} to ${who}`);
    }
  return [...found].sort();
}

const graded = async (): Promise<Reply[]> => {
  const at = `/assessments/submissions/${submission}`;
  const as = world.as(lab.assistant);
  return [
    await as.put(`${at}/claim`),
    await as.put(`${at}/grade`, { score_obtained: score, feedback: "Well argued" }),
    await as.post(`${lab.here}/gradebook/import`, {
      csv: `user_id,${lab.lab.id}\n${lab.learner.id},3`,
      reason: "x",
    }),
    await as.put(`${lab.here}/grades/${lab.learner.id}/items/${lab.lab.id}`, { score: 3, reason: "x" }),
    await world
      .as(lab.teacher)
      .post(`${lab.here}/grades/finalize`, { dry_run: true, include_awaiting: true }),
  ];
};

describe("work that is graded anonymously", () => {
  it("names no person in any response to graders, before its grades are released", async () => {
    world.setNow("2026-03-10T12:30:00.000Z");
    const replies = await graded();
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400]);
    expect(replies.flatMap((reply) => tiesIn(reply, "", traces))).toEqual([]);
    expect(replies.flatMap((reply) => tiesIn(reply, "", { ...traces, person: [moment] }))).toEqual([]);
    expect(await askAll()).toEqual([]);
    const admin = staff.find((one) => one.name === "admin")?.person;
    const { body } = await world.as(admin).post(`/universities/${lab.university.id}/api-keys`, {
      ...{ name: "Registrar", scopes: ["grades:read"], expires_at: "2027-03-01T00:00:00Z" },
    });
    expect(body).toMatchObject({ key: expect.any(String) });
    const headers = { authorization: `Bearer ${body.key}` };
    for (const address of [
      `${lab.here}/gradebook?content_item_id=${lab.lab.id}`,
      `${lab.here}/grade-changes`,
    ]) {
      const reply = await world.as().get(address, { headers });
      expect(reply.text).toContain(String(score));
      expect(tiesIn(reply, "", traces)).toEqual([]);
    }
  });

  it("is not shown as submitted while it is open", async () => {
    const [, quiz] = values["items"] as number[];
    const at = `/assessments/offerings/${lab.offering.id}/quizzes/${quiz}/attempts`;
    const { body: open } = await world.as(lab.learner).post(at);
    const { body: listed } = await world.as(lab.assistant).get(at);
    const one = listed.find(({ id }: { id: number }) => id === open.id);
    const hidden = {
      user_id: null,
      started_at: "2026-03-10T00:00:00.000Z",
      saved_at: null,
      submitted_at: null,
    };
    expect(one).toMatchObject(hidden);
    const { body } = await world.as(lab.assistant).get(`/assessments/attempts/${open.id}`);
    expect(body).toMatchObject(hidden);
  });

  it("has its person in the searched places, once grades are released", async () => {
    expect((await lab.release()).status).toBe(200);
    const found = await askAll();
    expect(new Set(found.map((one) => one.split(" ")[0]))).toEqual(
      new Set([
        ...[
          "exportMyData",
          "getAudit",
          "getCourseOfferingOutline",
          "getFile",
          "getFileContent",
          "getQuizAttempt",
        ],
        ...["getSubmission", "listGradeChanges", "listQuizAttempts", "listSubmissions", "readGradebook"],
      ]),
    );
  });
});
