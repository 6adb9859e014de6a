import { sql } from "drizzle-orm";
import { deriveGraderSecret, signGraderCall } from "../../lib/assessment/grader-signature.ts";
import { apiKeyScopes } from "../../schema/enums.ts";
import type { Reply } from "./client.ts";
import { makersOf } from "./makers.ts";
import { sendFile } from "./send-file.ts";
import type { UniversityFixture } from "./university.ts";
import type { World } from "./world.ts";

/** Acts, and reads after them. Reads have their own moment, at which a claim of the acts is still valid. */
export const [actedAt, readAt] = ["2026-03-10T12:07:31.000Z", "2026-03-10T12:15:00.000Z"];

export type Author = Awaited<ReturnType<typeof addAuthor>>;

/** Another learner with activity of the day before, in a group, with an extension, and four anonymous items. */
export async function addAuthor(world: World, { paths, scope }: UniversityFixture) {
  const make = makersOf(world);
  const { university_id } = scope;
  // Wide ids occur in no response by chance.
  for (const [table, from] of Object.entries({ users: 7_310_000, enrollments: 4_420_000 }))
    await world.deps.db.execute(sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${from}::int)`);
  const [author, mate] = [
    await make.person({ full_name: "Zephyrine Quillfeather", email: "zephyrine.q@people.example.edu" }),
    await make.person({ full_name: "Ottoline Marchbanks", email: "ottoline.m@people.example.edu" }),
  ];
  const offering_id = Number(paths["offering_id"]);
  const course_id = Number(paths["course_id"]);
  const here = `/assessments/offerings/${offering_id}`;
  const seats = [await make.enrollment(author.id, offering_id), await make.enrollment(mate.id, offering_id)];
  const module = await make.module(course_id);
  const reading = await make.contentItem(module, university_id);
  const { pool, questions } = await make.questionPool({ id: course_id, university_id });
  const item = (type: string, data_json: object) =>
    make.contentItem(module, university_id, {
      ...{ type, data_json: { ...data_json, anonymous: true }, due_at: "2026-03-09T12:00:00.000Z" },
    });
  const lab = await item("engineering_lab", { grading: { max_points: 20 } });
  const team = await item("assignment", { max_points: 80, group_submission: true });
  const paper = await item("assignment", { max_points: 50, second_mark: true });
  const quiz = await item("quiz", { question_pool_id: pool.id, passing_percent: 0 });
  const admin = world.as(await make.holder("platform_admin", university_id));
  await admin.put(`${here}/grading-scheme`, { late_percent_per_day: 10, max_late_days: 5 });
  const { body: group } = await admin.post(`/offerings/${offering_id}/groups`, { name: "Quills" });
  for (const { id } of [author, mate])
    await admin.put(`/offerings/${offering_id}/groups/${group.id}/members/${id}`, {});
  const overrides = {
    lab: `${here}/assignments/${lab.id}/overrides/${author.id}`,
    quiz: `${here}/quizzes/${quiz.id}/overrides/${author.id}`,
  };
  for (const path of Object.values(overrides)) await admin.put(path, { due_at: "2026-03-12T12:00:00.000Z" });
  await world.deps.db.execute(sql`insert into sourced_people (university_id, sourced_id, user_id)
    values (${university_id}, 'ext-zq-7731', ${author.id}), (${university_id}, 'ext-om-7732', ${mate.id})`);
  world.setNow("2026-03-09T08:00:00.000Z");
  for (const { id } of [author, mate])
    await world.as({ id }).post("/progress/content", {
      content_item_id: reading.id,
      course_offering_id: offering_id,
      progress_percent: 50,
    });
  world.setNow(readAt);
  const [grader, second] = [await make.holder("ta", university_id), await make.holder("ta", university_id)];
  const instructor = await make.holder("instructor", university_id);
  const officer = await make.holder("student", university_id);
  await admin.post(`/universities/${university_id}/offices`, {
    ...{ user_id: officer.id, right: "accommodation:write" },
  });
  const { body: key } = await admin.post(`/universities/${university_id}/api-keys`, {
    ...{ name: "All scopes", scopes: apiKeyScopes, expires_at: "2027-03-01T00:00:00Z" },
  });
  const { body: feed } = await admin.get(`/universities/${university_id}/events`);
  const classmate = await make.person();
  await make.enrollment(classmate.id, offering_id);
  return {
    ...{ author, mate, seats, lab, team, paper, quiz, questions, group, grader, second, instructor, officer },
    ...{ university_id, offering_id, here, overrides, classmate },
    key: key.key as string,
    /** The last event of the feed. */
    cursor: feed.next as string,
  };
}

type Acts = Record<string, () => Promise<Reply>>;

/**
 * Acts on anonymous work by its author, graders, an auto-grader or an instructor. Each step has acts on
 * different work: none takes back another's traces.
 */
export function stepsOfAnonymousWork(world: World, made: Author): Acts[] {
  const { here, lab, team, paper, quiz, questions, author, offering_id } = made;
  const ids: Record<string, number> = {};
  const keep = (name: string, reply: Reply) => {
    ids[name] = reply.body.id;
    return reply;
  };
  const mine = () => world.as(author);
  const [grader, second, instructor] = [made.grader, made.second, made.instructor].map(
    (person) => () => world.as(person),
  ) as [typeof mine, typeof mine, typeof mine];
  const at = (name: string) => `/assessments/submissions/${ids[name]}`;
  const attempt = () => `/assessments/attempts/${ids["attempt"]}`;
  const scope = { course_offering_id: offering_id, content_item_id: lab.id };
  const handIn = async (name: string, item: { id: number }, work: object) =>
    keep(name, await mine().post(`${here}/assignments/${item.id}/submissions`, work));
  const throwOut = (thrown_out: string | null) =>
    instructor().put(`${here}/quizzes/${quiz.id}/questions/${questions[1]?.id}/thrown-out`, {
      ...{ thrown_out, reason: "Two options are correct" },
    });
  const autoGrade = (score: number) => {
    const body = JSON.stringify({ score });
    const secret = deriveGraderSecret(world.deps.config.SECRET_KEY, {
      ...{ offering_id, content_item_id: lab.id, version: 1 },
    });
    const signed = Date.parse(actedAt);
    const digest = signGraderCall(secret, { at: signed, submissionId: Number(ids["work"]), body });
    const headers = { "x-grader-signature": `t=${signed},v1=${digest}` };
    return world.as().request("POST", `${at("work")}/auto-grade`, body, { headers });
  };
  const importByCode = async (item: { id: number }, score: number, dry_run = false) => {
    const { rows } = await world.deps.db.execute<{ code: string }>(sql`
      select code from anonymous_codes where content_item_id = ${item.id} and user_id = ${author.id}`);
    const csv = `code,${item.id}\r\n${rows[0]?.code},${score}`;
    const reply = await grader().post(`${here}/gradebook/import`, { csv, reason: "On paper", dry_run });
    return reply.body.changed === 1 ? reply : { ...reply, status: 400 };
  };
  return [
    {
      upload: async () =>
        keep(
          "file",
          await sendFile(world.deps, mine(), { purpose: "SUBMISSION", ...scope, name: "mine.txt" }),
        ),
      "hand in": () => handIn("work", lab, { body: "Mine", file_ids: [ids["file"]] }),
      "hand in for a group": () => handIn("team", team, { body: "Ours" }),
      "hand in for two marks": () => handIn("paper", paper, { body: "Twice" }),
      "start a quiz": async () => keep("attempt", await mine().post(`${here}/quizzes/${quiz.id}/attempts`)),
    },
    {
      claim: () => grader().put(`${at("work")}/claim`),
      "claim for a mark": () => grader().put(`${at("paper")}/claim`),
      "save an answer": () =>
        mine().put(`${attempt()}/responses`, {
          responses: [{ question_id: questions[1]?.id, response: ["A"] }],
        }),
    },
    {
      "give up a claim": () => grader().delete(`${at("work")}/claim`),
      mark: () => grader().put(`${at("paper")}/grade`, { score_obtained: 30, feedback: "Units" }),
      "submit a quiz": () => mine().post(`${attempt()}/submit`, { responses: [] }),
    },
    {
      "grade automatically": () => autoGrade(9),
      "mark again": () => grader().put(`${at("paper")}/grade`, { score_obtained: 31 }),
      "grade a group": () => grader().put(`${at("team")}/grade`, { score_obtained: 70 }),
      "regrade a quiz": () => throwOut("full_points"),
    },
    {
      grade: () => grader().put(`${at("work")}/grade`, { score_obtained: 13, feedback: "Well argued" }),
      "mark second": () => second().put(`${at("paper")}/grade`, { score_obtained: 41 }),
      "import a group's grade": () => importByCode(team, 60),
      "regrade a quiz again": () => throwOut(null),
    },
    {
      "grade again": () => grader().put(`${at("work")}/grade`, { score_obtained: 17, reason: "A mistake" }),
      "agree on a grade": () => second().put(`${at("paper")}/agreed-grade`, { score_obtained: 35 }),
    },
    {
      return: () => grader().post(`${at("work")}/return`, { feedback: "Once more" }),
      "moderate a grade": () =>
        instructor().put(`${at("paper")}/agreed-grade`, { score_obtained: 36, reason: "Scaled" }),
      "try an import of grades": () => importByCode(quiz, 2, true),
    },
    {
      "hand in again": () => handIn("work", lab, { body: "Mine again" }),
      "import a quiz's grade": () => importByCode(quiz, 2),
    },
    { "grade the second": () => grader().put(`${at("work")}/grade`, { score_obtained: 20 }) },
  ];
}

/** Acts on a named person who has late anonymous work. */
export function actsOnNamedPerson(world: World, made: Author): Acts {
  const { author, team, paper, group, here, offering_id, university_id } = made;
  const due_at = "2026-03-13T12:00:00.000Z";
  const instructor = () => world.as(made.instructor);
  const ofGroup = `/offerings/${offering_id}/groups/${group.id}`;
  return {
    "grant an extension": () =>
      instructor().put(`${here}/assignments/${paper.id}/overrides/${author.id}`, { due_at }),
    "grant an extension of a quiz": () => instructor().put(made.overrides.quiz, { due_at }),
    "set dates of a group": () =>
      instructor().put(`${ofGroup}/dates`, { dates: [{ content_item_id: team.id, due_at }] }),
    "grant an accommodation": () =>
      world.as(made.officer).put(`/universities/${university_id}/accommodations`, {
        ...{ user_id: author.id, time_factor: 2, extra_days: 3 },
      }),
    "leave a group": () => instructor().delete(`${ofGroup}/members/${author.id}`),
  };
}
