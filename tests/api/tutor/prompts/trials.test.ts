import { sql } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import type { Db } from "../../../../lib/platform/db/client.ts";
import { processTrials } from "../../../../lib/tutor/trials/work.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { openWorld } from "../../../support/world.ts";
import { hold, openSession } from "../chat/support.ts";
import { killAtEach, stepsTo } from "./killed-steps.ts";
import { asking, prices, taught, trialsOf } from "./trials.ts";

const world = openWorld({ LLM_PRICES: JSON.stringify(prices) });
const { make, count, classWithTree, newVersion, work, started } = trialsOf(world);

afterEach(() => world.llm.reset());

const limit_micros = 10_000_000;

it("a version answers at each node of the class's tree, with its text, next to the recorded answers", async () => {
  const { item, course, author } = await classWithTree();
  const version = await newVersion(author, "Be quite new with {{title}}.");
  const path = `/prompts/tutor/versions/${version}/trials`;
  const made = await author.post(path, { against: taught, content_item_ids: [item.id], limit_micros });
  expect(made).toMatchObject({
    status: 202,
    body: {
      prompt_name: "tutor",
      version,
      against: taught,
      course_id: course.id,
      kind: "STEP",
      state: "READY",
      model: "model-of-the-tests",
      estimate: { calls: 3 },
      cost: { limit_micros, spent_micros: 0, reserved_micros: 0, lost_micros: 0 },
      started_at: null,
    },
  });
  expect(made.body.estimate.cost_micros).toBeGreaterThan(0);
  world.llm.reset();
  expect(await work(), "nothing is asked before it is started").toMatchObject({ cases: 0 });

  expect(await author.post(`${path}/${made.body.id}/start`)).toMatchObject({
    status: 202,
    body: { state: "RUNNING", estimate: { calls: 3 } },
  });
  world.llm.script(...Array(3).fill({ chunks: asking("It is new."), input_tokens: 100, output_tokens: 20 }));
  expect(await work()).toMatchObject({ cases: 3 });
  expect(world.llm.requests).toHaveLength(3);
  for (const { system } of world.llm.requests) expect(system).toBe(`Be quite new with "${item.title}".`);
  expect(world.llm.requests.map(({ messages }) => messages.length).sort()).toEqual([1, 3, 3]);

  const { body: report } = await author.get(`${path}/${made.body.id}`);
  expect(report).toMatchObject({
    state: "FINISHED",
    cases: { waiting: 0, running: 0, answered: 3, failed: 0, skipped: 0 },
    cost: { spent_micros: 3 * (100 * 3 + 20 * 15), reserved_micros: 0, lost_micros: 0, calls_estimated: 0 },
    not_sent: [],
    all_passed: { candidate: { passed: 3, of: 3 }, recorded: { passed: 3, of: 3 } },
    lengths: { candidate: { output_tokens: 20, cost_micros: 600 } },
  });
  const keyCheck = report.checks.find(({ check }: { check: string }) => check === "KEY_VALID");
  expect(keyCheck).toMatchObject({ candidate: { passed: 3, of: 3, share: 1, high: 1 } });
  expect(keyCheck.candidate.low).toBeCloseTo(0.4385, 4);

  const { body: pairs } = await author.get(`${path}/${made.body.id}/cases`);
  expect(pairs).toHaveLength(3);
  expect(pairs[0]).toMatchObject({
    content_item_id: item.id,
    path: ["Start."],
    visits: 2,
    state: "ANSWERED",
    recorded: { checks: { question_readable: null } },
    candidate: { stop: null, cost_micros: 600, checks: { question_readable: null, key_valid: null } },
  });
  expect(pairs[0].recorded.text).toContain("Let us begin");
  expect(pairs[0].candidate.text).toContain("It is new.");
  expect(JSON.stringify(pairs), "no key is in a pair").not.toContain("misconceptions");
  const { body: listed } = await author.get(path);
  expect(listed).toMatchObject([{ id: made.body.id, state: "FINISHED" }]);
});

it("nothing of a trial is in a tree, a session, a report or the learners' budget", async () => {
  const { item, course, author, university } = await classWithTree();
  const platform = world.as(await make.holder("platform_admin", university.id));
  const tables = [
    "cache_nodes",
    "cache_visits",
    "chat_sessions",
    "chat_messages",
    "generations",
    "activity_events",
  ];
  const counts = () => Promise.all(tables.map((table) => count(sql.identifier(table) as never)));
  const budgetPath = `/universities/${university.id}/tutor-budget`;
  const reportPath = `/admin/analytics/tutor?university_id=${university.id}`;
  const seen = async () => ({
    counts: await counts(),
    budget: (await platform.get(budgetPath)).body,
    report: (await platform.get(reportPath)).body.total,
    progress: (await platform.get(`/chat/topics/${item.id}/tree`)).body.nodes.length,
  });
  const before = await seen();
  expect(before.budget.tokens_this_month).toBeGreaterThan(0);
  const version = await newVersion(author, "Say it shortly.");
  const path = `/prompts/tutor/versions/${version}/trials`;
  const { body } = await author.post(path, { against: taught, course_id: course.id, limit_micros });
  await author.post(`${path}/${body.id}/start`);
  await work();
  expect((await author.get(`${path}/${body.id}`)).body).toMatchObject({ cases: { answered: 3 } });
  expect(await seen()).toEqual(before);
  const { rows } = await world.deps.db.execute(
    sql`select purpose, outcome, user_id, message_id, university_id from llm_calls
        where course_id = ${course.id} and purpose = 'trial'`,
  );
  expect(rows).toEqual(
    Array(3).fill({
      purpose: "trial",
      outcome: "complete",
      user_id: null,
      message_id: null,
      university_id: university.id,
    }),
  );
});

it("a version is compared with itself, and its pairs are filtered by failed check", async () => {
  const { item, author } = await classWithTree();
  const path = `/prompts/tutor/versions/${taught}/trials`;
  const { body } = await author.post(path, {
    against: taught,
    content_item_ids: [item.id],
    most_nodes: 2,
    limit_micros,
  });
  expect(body.estimate.calls).toBe(2);
  await author.post(`${path}/${body.id}/start`);
  world.llm.script(
    { chunks: ["What comes next?"] },
    { chunks: ['```mcq\n{"questionId": "q", "options": [\n```'] },
  );
  await work();
  const cases = `${path}/${body.id}/cases`;
  expect((await author.get(`${cases}?failed_check=QUESTION_READABLE`)).body).toMatchObject([
    {
      candidate: { stop: "malformed", checks: { question_readable: "The question's block cannot be read" } },
    },
  ]);
  expect((await author.get(`${cases}?failed_check=NEVER_SAY`)).body).toEqual([]);
  expect((await author.get(`${cases}?limit=1`)).body).toHaveLength(1);
  const { body: report } = await author.get(`${path}/${body.id}`);
  expect(report.all_passed.candidate).toMatchObject({ passed: 1, of: 2, share: 0.5 });
});

it("nodes with free text, of other texts and of staff are excluded", async () => {
  const { item, course, author } = await classWithTree();
  const post = (more: object = {}) =>
    author.post(`/prompts/tutor/versions/${taught}/trials`, {
      against: taught,
      course_id: course.id,
      limit_micros,
      ...more,
    });
  const { body: tree } = await author.get(`/chat/topics/${item.id}/tree`);
  const [root, a, b] = tree.nodes;
  const said = JSON.stringify({ answer: "a word of mine", questionId: "q1" });
  await world.deps.db.execute(sql`update cache_nodes set message = ${said} where id = ${a.id}`);
  expect((await post()).body.estimate.calls).toBe(2);
  await author.put(`/chat/topics/${item.id}/tree/nodes/${b.id}`, { answer: "By hand." });
  expect((await post()).body.estimate.calls).toBe(1);
  await author.put(`/chat/topics/${item.id}/tree/nodes/${root.id}`, { answer: "By hand, too." });
  expect(await post()).toMatchObject({
    status: 400,
    body: { detail: `Version ${taught} has no stored answers there to compare with` },
  });
});

it("a caller without write access to the content gets a 404", async () => {
  const { item, course, author, university } = await classWithTree();
  const input = { against: taught, content_item_ids: [item.id], limit_micros };
  const path = `/prompts/tutor/versions/${taught}/trials`;
  const { body: made } = await author.post(path, input);
  const elsewhere = world.as(await make.holder("instructor", (await make.university()).id));
  expect(await elsewhere.post(path, input)).toMatchObject({
    status: 404,
    body: { detail: "Content item not found" },
  });
  const ofCourse = { against: taught, course_id: course.id, limit_micros };
  expect(await elsewhere.post(path, ofCourse)).toMatchObject({
    status: 404,
    body: { detail: "Course not found" },
  });
  for (const end of ["", "/cases"])
    expect((await elsewhere.get(`${path}/${made.id}${end}`)).status, end).toBe(404);
  for (const verb of ["start", "stop"])
    expect((await elsewhere.post(`${path}/${made.id}/${verb}`)).status, verb).toBe(404);
  expect((await elsewhere.get(path)).body.map(({ id }: { id: number }) => id)).not.toContain(made.id);
  for (const role of ["ta", "student"] as const)
    expect((await world.as(await make.holder(role, university.id)).post(path, input)).status).toBe(403);
  const other = await author.post("/prompts/", { name: "tutor", prompt: "Teach {{title}}." });
  expect(other.status).toBe(201);
  const ofOther = `/prompts/tutor/versions/${other.body.version}/trials/${made.id}`;
  expect(await author.get(ofOther)).toMatchObject({ status: 404, body: { detail: "Trial not found" } });
});

it("an impossible trial is rejected", async () => {
  const { item, author, course } = await classWithTree();
  const other = await make.contentItem(
    await make.module((await make.course(course.university_id)).id),
    course.university_id,
  );
  const post = (input: object, version: number | string = taught) =>
    author.post(`/prompts/tutor/versions/${version}/trials`, {
      against: taught,
      content_item_ids: [item.id],
      limit_micros,
      ...input,
    });
  expect(await post({}, 999)).toMatchObject({ status: 404 });
  expect(await post({ against: 999 })).toMatchObject({ status: 404 });
  expect(await post({ content_item_ids: [item.id, 99_999_999] })).toMatchObject({ status: 404 });
  expect(await post({ content_item_ids: [item.id, other.id] })).toMatchObject({
    status: 400,
    body: { detail: "content_item_ids should be items of one course" },
  });
  for (const wrong of [
    { kind: "OTHER" },
    { course_id: course.id },
    { content_item_ids: undefined },
    { most_nodes: 0 },
    { most_nodes: 201 },
    { limit_micros: 0 },
    { against: 0 },
    { content_item_ids: [] },
  ])
    expect((await post(wrong)).status, JSON.stringify(wrong)).toBe(422);
  await world.deps.db.execute(sql`update courses set llm_model = 'unpriced' where id = ${course.id}`);
  expect(await post({})).toMatchObject({
    status: 400,
    body: { detail: "The model unpriced has no price in LLM_PRICES" },
  });
});

it("a move is put to the model by its name, and its answer carries the question that it follows", async () => {
  const { item, author } = await classWithTree();
  const session = await openSession(world.as(await make.person()), item.id);
  await session.say("Start.");
  world.llm.script({ chunks: ["Think of what is done again and again."] });
  await session.say("@hint");
  const { report, cases } = await started(author, taught, {
    ...{ against: taught, content_item_ids: [item.id], limit_micros },
  });
  world.llm.reset();
  world.llm.improvise(({ messages }) => ({
    chunks: messages.at(-1)?.content.startsWith("[@hint]")
      ? ["Look at its condition. The answer is A."]
      : asking("So."),
  }));
  await work();
  expect((await report()).body).toMatchObject({ cases: { answered: 4 } });
  const { body: pairs } = await cases("?failed_check=ANSWER_NOT_NAMED");
  expect(pairs).toMatchObject([
    {
      path: ["Start.", "@hint"],
      recorded: { checks: { answer_not_named: null, key_valid: null } },
      candidate: { text: "Look at its condition. The answer is A.", checks: { key_valid: null } },
    },
  ]);
});

it("calls beyond the limit are not sent, and are reported", async () => {
  const { item, author } = await classWithTree();
  const version = await newVersion(author, "Short.", { max_tokens: 100 });
  const path = `/prompts/tutor/versions/${version}/trials`;
  // A call may cost 100 × 15 plus input; each uses 600.
  const { body } = await author.post(path, {
    against: taught,
    content_item_ids: [item.id],
    limit_micros: 3500,
  });
  await author.post(`${path}/${body.id}/start`);
  world.llm.reset();
  world.llm.script(...Array(3).fill({ chunks: asking("So."), input_tokens: 100, output_tokens: 20 }));
  await work();
  const { body: report } = await author.get(`${path}/${body.id}`);
  expect(report.state).toBe("FINISHED");
  expect(report.not_sent).toEqual([{ reason: "LIMIT", cases: report.cases.skipped }]);
  expect(report.cases.skipped).toBeGreaterThan(0);
  expect(report.cases.answered + report.cases.skipped).toBe(3);
  expect(world.llm.requests).toHaveLength(report.cases.answered);
  expect(report.cost.spent_micros).toBeLessThanOrEqual(3500);
});

it("a trial is started once and stopped once, and keeps its results", async () => {
  const { item, author } = await classWithTree();
  const path = `/prompts/tutor/versions/${taught}/trials`;
  const { body } = await author.post(path, { against: taught, content_item_ids: [item.id], limit_micros });
  await author.post(`${path}/${body.id}/start`);
  expect(await author.post(`${path}/${body.id}/start`)).toMatchObject({ status: 400 });
  expect(await author.post(`${path}/${body.id}/stop`)).toMatchObject({
    status: 200,
    body: { state: "STOPPED" },
  });
  expect((await author.get(`${path}/${body.id}`)).body).toMatchObject({
    cases: { skipped: 3 },
    not_sent: [{ reason: "STOPPED", cases: 3 }],
  });
  expect(await author.post(`${path}/${body.id}/stop`)).toMatchObject({ status: 400 });
  expect(await work()).toMatchObject({ cases: 0 });
});

it("a version whose text has changed is not called", async () => {
  const { item, author } = await classWithTree();
  const tone = await author.post("/prompts/", { name: "tone-of-a-trial", prompt: "Kindly." });
  expect(tone.status).toBe(201);
  const version = await newVersion(author, "@@@refPrompt:name=tone-of-a-trial|label=latest@@@ Teach.");
  const path = `/prompts/tutor/versions/${version}/trials`;
  const { body } = await author.post(path, { against: taught, content_item_ids: [item.id], limit_micros });
  await author.post(`${path}/${body.id}/start`);
  await author.post("/prompts/", { name: "tone-of-a-trial", prompt: "Sternly." });
  world.llm.reset();
  await work();
  expect(world.llm.requests).toEqual([]);
  expect((await author.get(`${path}/${body.id}`)).body).toMatchObject({
    state: "FINISHED",
    not_sent: [{ reason: "PROMPT_CHANGED", cases: 3 }],
  });
});

it("a failing LLM is called again later, a few times at most", async () => {
  const { item, author } = await classWithTree();
  const path = `/prompts/tutor/versions/${taught}/trials`;
  const { body } = await author.post(path, {
    against: taught,
    content_item_ids: [item.id],
    most_nodes: 1,
    limit_micros,
  });
  await author.post(`${path}/${body.id}/start`);
  for (let round = 1; round <= 4; round += 1) {
    world.llm.script({ chunks: ["So"], failure: "socket destroyed" });
    expect(await work(), `round ${round}`).toMatchObject({ cases: 1 });
    expect(await work(), "it waits").toMatchObject({ cases: 0 });
    await world.deps.db.execute(sql`update trial_cases set leased_until = null where trial_id = ${body.id}`);
  }
  expect((await author.get(`${path}/${body.id}`)).body).toMatchObject({
    state: "FINISHED",
    cases: { failed: 1 },
    cost: { calls_estimated: 4 },
    not_sent: [{ reason: "LLM", cases: 1 }],
  });
});

it("learners are served while a trial runs", async () => {
  const { item, author } = await classWithTree();
  const path = `/prompts/tutor/versions/${taught}/trials`;
  const { body } = await author.post(path, { against: taught, content_item_ids: [item.id], limit_micros });
  await author.post(`${path}/${body.id}/start`);
  const working = work();
  const session = await openSession(world.as(await make.person()), item.id);
  expect((await session.say("Start.")).status).toBe(200);
  expect((await session.lastMeta()).source).toBe("cache");
  await working;
});

it("a process that is killed at any step leaves each case answered once, and its cost counted once", async () => {
  const { item, author } = await classWithTree();
  const path = `/prompts/tutor/versions/${taught}/trials`;
  const answer = { chunks: asking("So."), input_tokens: 100, output_tokens: 20 };
  let asked = 0;
  // Three cases of three statements, and four polls that find none.
  const live = async (db: Db, place: string) => {
    const { body } = await author.post(path, {
      against: taught,
      content_item_ids: [item.id],
      limit_micros,
    });
    await author.post(`${path}/${body.id}/start`);
    world.llm.reset();
    world.llm.script(...Array(10).fill(answer));
    await processTrials({ ...world.deps, db }, noDeadline()).catch(() => {});
    await world.deps.db.execute(
      sql`update trial_cases set leased_until = null where trial_id = ${body.id} and state = 'running'`,
    );
    await work();
    asked += world.llm.requests.length;
    const { body: report } = await author.get(`${path}/${body.id}`);
    expect(report, place).toMatchObject({
      state: "FINISHED",
      cases: { answered: 3, waiting: 0, running: 0, failed: 0, skipped: 0 },
      cost: { spent_micros: 3 * 600, reserved_micros: 0 },
    });
    const { rows } = await world.deps.db.execute(
      sql`select count(*) filter (where outcome = 'complete')::int as complete,
                   count(*) filter (where outcome = 'started')::int as open
            from llm_calls where id in (select call_id from trial_cases where trial_id = ${body.id})`,
    );
    expect(rows).toEqual([{ complete: 3, open: 0 }]);
  };
  // Cases run concurrently. These four are one of each kind of statement in any order.
  const killed = await killAtEach(world, stepsTo(13), live, [1, 5, 9, 12]);
  expect(asked).toBeGreaterThan(killed * 3);
});

it("at most four calls of all trials run concurrently, over all processes", async () => {
  const { item, author } = await classWithTree();
  const path = `/prompts/tutor/versions/${taught}/trials`;
  const { held, release } = hold();
  world.llm.reset();
  world.llm.script({ chunks: [held, ...asking("So.")], times: 6 });
  const made = [];
  for (let one = 0; one < 2; one += 1) {
    const { body } = await author.post(path, { against: taught, content_item_ids: [item.id], limit_micros });
    await author.post(`${path}/${body.id}/start`);
    made.push(body.id);
  }
  const working = [work(), work()];
  await expect.poll(() => world.llm.requests.length).toBe(4);
  await expect(work(), "a third process takes none").resolves.toMatchObject({ cases: 0 });
  expect(world.llm.requests).toHaveLength(4);
  release();
  await Promise.all(working);
  for (const id of made)
    expect((await author.get(`${path}/${id}`)).body).toMatchObject({
      state: "FINISHED",
      cases: { answered: 3 },
    });
});
