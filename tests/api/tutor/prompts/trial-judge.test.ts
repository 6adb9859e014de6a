import { sql } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { processTrials } from "../../../../lib/tutor/trials/work.ts";
import { judgeCriteria } from "../../../../schema/enums.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { openWorld } from "../../../support/world.ts";
import { hold } from "../chat/support.ts";
import { killAtEach, stepsTo } from "./killed-steps.ts";
import { asking, prices, taught, trialsOf } from "./trials.ts";

const judgeModel = "judge-of-the-tests";

const world = openWorld({
  LLM_PRICES: JSON.stringify({ ...prices, [judgeModel]: { input: 1, output: 5 } }),
  JUDGE_MODEL: judgeModel,
});
const { make, classWithTree, newVersion, work, started } = trialsOf(world);

afterEach(() => world.llm.reset());

const limit_micros = 10_000_000;

/** A verdict for one of them by all criteria. */
const says = (better: string) =>
  JSON.stringify({
    why: `It is ${better}.`,
    criteria: Object.fromEntries(judgeCriteria.map((criterion) => [criterion, better])),
    better,
  });

/** The pair in a judge's request. */
const shownIn = (request: { messages: { content: string }[] } | undefined) =>
  JSON.parse(request?.messages.at(-1)?.content ?? "{}") as { A: string; B: string; learner: string };

/** Answers tutors with `answers` in turn, and the judge by the pair in its request. */
function play(answers: readonly string[][], judge: (shown: { A: string; B: string }) => string) {
  let at = 0;
  world.llm.reset();
  world.llm.improvise((request) =>
    request.model === judgeModel
      ? { chunks: [judge(shownIn(request))], input_tokens: 200, output_tokens: 10 }
      : { chunks: answers[at++ % answers.length] ?? [], input_tokens: 100, output_tokens: 20 },
  );
}

const judged = () => world.llm.requests.filter(({ model }) => model === judgeModel);

async function trial(input: object = {}) {
  const { item, author, ...topic } = await classWithTree();
  const version = await newVersion(author, "Be quite new with {{title}}.");
  const one = await started(author, version, {
    against: taught,
    content_item_ids: [item.id],
    judge: true,
    limit_micros,
    ...input,
  });
  return { ...one, item, author, version, ...topic };
}

it("each pair without a fault is judged in both orders, by another model, without knowing the versions", async () => {
  const { report, cases, made } = await trial();
  expect(made).toMatchObject({ judge_model: judgeModel, estimate: { calls: 9 } });
  play([asking("It is new.")], ({ A }) => says(A.includes("It is new.") ? "A" : "B"));
  expect(await work()).toEqual({ cases: 9 });
  expect(judged()).toHaveLength(6);
  for (const { system, messages } of judged()) {
    expect(system).toContain("starts_from_learner");
    const shown = shownIn({ messages });
    expect([shown.A, shown.B].filter((text) => text.includes("It is new."))).toHaveLength(1);
    expect(JSON.stringify(messages)).not.toMatch(/candidate|recorded|misconceptions|version/);
  }
  const { body } = await report();
  expect(body).toMatchObject({
    state: "FINISHED",
    cases: { answered: 3, waiting: 0, running: 0 },
    judgement: {
      model: judgeModel,
      pairs: { won: 3, tied: 0, lost: 0 },
      visits: { won: 4, tied: 0, lost: 0 },
      share: { share: 1, high: 1 },
      sign_test: { pairs: 3, p_value: expect.closeTo(0.25, 10) },
      orders_disagreed: 0,
      not_judged: [],
      agreement: null,
      spent_micros: 6 * 250,
    },
    votes: { people: 0, pairs: 0 },
    cost: { spent_micros: 3 * 600 + 6 * 250, reserved_micros: 0 },
    lengths: { candidate: { cost_micros: 600 } },
  });
  // The visits are 2, 1 and 1: 16 / 6 pairs of one weight.
  expect(body.judgement.share.effective_pairs).toBeCloseTo(16 / 6, 10);
  expect(body.judgement.criteria).toEqual(
    judgeCriteria.map((criterion) => ({ criterion: criterion.toUpperCase(), won: 3, tied: 0, lost: 0 })),
  );
  const { body: pairs } = await cases();
  expect(pairs[0]).toMatchObject({
    state: "ANSWERED",
    judgement: {
      verdict: "CANDIDATE",
      reason: null,
      cost_micros: 500,
      orders: [
        { candidate_first: true, verdict: "CANDIDATE", criteria: { correct: "CANDIDATE" }, why: "It is A." },
        { candidate_first: false, verdict: "CANDIDATE", criteria: { correct: "CANDIDATE" }, why: "It is B." },
      ],
    },
    votes: { candidate: 0, recorded: 0, tie: 0, own: null },
  });
  const { rows } = await world.deps.db.execute(
    sql`select model, purpose, outcome, count(*)::int as calls, sum(cost_micros)::int as cost from llm_calls
        where course_id = ${made.course_id} and purpose = 'trial' group by 1, 2, 3 order by 1`,
  );
  expect(rows).toEqual([
    { model: judgeModel, purpose: "trial", outcome: "complete", calls: 6, cost: 1500 },
    { model: "model-of-the-tests", purpose: "trial", outcome: "complete", calls: 3, cost: 1800 },
  ]);
});

it("the judge's order does not decide: one that always takes the first, or the last, says nothing", async () => {
  for (const always of ["A", "B"]) {
    const { report, cases } = await trial();
    play([asking("It is new.")], () => says(always));
    await work();
    expect((await report()).body.judgement).toMatchObject({
      pairs: { won: 0, tied: 3, lost: 0 },
      orders_disagreed: 3,
      share: { share: 0.5 },
      sign_test: { pairs: 0, p_value: 1 },
      criteria: judgeCriteria.map(() => ({ won: 0, tied: 3, lost: 0 })),
    });
    expect((await cases("?verdict=TIE")).body).toHaveLength(3);
    expect((await cases("?verdict=CANDIDATE")).body).toEqual([]);
  }
});

it("a pair with a fault on either side is not judged, and an unreadable verdict does not count", async () => {
  const { report, cases } = await trial();
  const broken = ['So.\n\n```mcq\n{"questionId": "q", "options": [\n```'];
  let told = 0;
  play([broken, asking("It is new."), asking("It is new, too.")], () =>
    told++ < 1 ? "I like the first one better." : says("tie"),
  );
  await work();
  expect(judged(), "of the unreadable one the other order is not asked").toHaveLength(3);
  expect((await report()).body).toMatchObject({
    state: "FINISHED",
    cases: { answered: 3 },
    judgement: {
      pairs: { won: 0, tied: 1, lost: 0 },
      orders_disagreed: 0,
      not_judged: [
        { reason: "FAILED_CHECKS", cases: 1 },
        { reason: "UNREADABLE", cases: 1 },
      ],
    },
  });
  const { body: pairs } = await cases();
  const reasons = pairs.map(({ judgement }: { judgement: { reason: string } }) => judgement.reason);
  expect(reasons.toSorted()).toEqual(["FAILED_CHECKS", "UNREADABLE", null].toSorted());
});

it("the judge's calls stay within the trial's limit, and the remaining cases are still answered", async () => {
  const version = await newVersion((await classWithTree()).author, "Short.", { max_tokens: 50 });
  const { item, author } = await classWithTree();
  const path = `/prompts/tutor/versions/${version}/trials`;
  // An answer may cost 750 and its input; a judgement 2048 × 5 and more: at most two of them fit.
  const { body } = await author.post(path, {
    against: taught,
    content_item_ids: [item.id],
    judge: true,
    limit_micros: 25_000,
  });
  await author.post(`${path}/${body.id}/start`);
  play([asking("So.")], ({ A }) => says(A.includes("So.") ? "A" : "B"));
  await work();
  const { body: report } = await author.get(`${path}/${body.id}`);
  expect(report).toMatchObject({ state: "FINISHED", cases: { answered: 3, skipped: 0 }, not_sent: [] });
  const { pairs, not_judged } = report.judgement;
  expect(not_judged).toEqual([{ reason: "LIMIT", cases: 3 - pairs.won }]);
  expect(not_judged[0].cases).toBeGreaterThan(0);
  expect(report.cost.spent_micros).toBeLessThanOrEqual(25_000);
});

it("a stopped trial keeps answers that wait for the judge, and running verdicts", async () => {
  const { report, cases, stop } = await trial();
  const { held, release } = hold();
  world.llm.reset();
  world.llm.improvise(({ model }) => ({
    chunks: model === judgeModel ? [held, says("tie")] : asking("It is new."),
  }));
  const working = work();
  await expect.poll(() => judged().length).toBeGreaterThan(0);
  expect((await stop()).status).toBe(200);
  release();
  await working;
  const { body } = await report();
  expect(body).toMatchObject({ state: "STOPPED", cases: { waiting: 0, running: 0 } });
  expect(body.cases.answered).toBeGreaterThan(0);
  expect(body.judgement.not_judged).toEqual([{ reason: "STOPPED", cases: body.cases.answered }]);
  const orders = (await cases()).body.flatMap((one: { judgement: { orders: object[] } | null }) =>
    one.judgement ? one.judgement.orders : [],
  );
  expect(orders, "of none both orders").toHaveLength(judged().length);
});

it("a process that is killed at any step leaves each pair judged once, and its cost counted once", async () => {
  const { item, author } = await classWithTree();
  const path = `/prompts/tutor/versions/${taught}/trials`;
  // One case has three calls, each of three statements, and four polls that find none.
  await killAtEach(world, stepsTo(13), async (db, place) => {
    const { body } = await author.post(path, {
      against: taught,
      content_item_ids: [item.id],
      most_nodes: 1,
      judge: true,
      limit_micros,
    });
    await author.post(`${path}/${body.id}/start`);
    play([asking("So.")], ({ A }) => says(A.includes("So.") ? "A" : "B"));
    await processTrials({ ...world.deps, db }, noDeadline()).catch(() => {});
    await world.deps.db.execute(
      sql`update trial_cases set leased_until = null where trial_id = ${body.id} and state = 'running'`,
    );
    await work();
    const { body: report } = await author.get(`${path}/${body.id}`);
    expect(report, place).toMatchObject({
      state: "FINISHED",
      cases: { answered: 1 },
      judgement: { pairs: { won: 1 }, not_judged: [], spent_micros: 500 },
      cost: { spent_micros: 600 + 500, reserved_micros: 0 },
    });
    const { body: pairs } = await author.get(`${path}/${body.id}/cases`);
    expect(pairs[0].judgement.orders).toHaveLength(2);
  });
});

it("a version against itself gets an interval around a half, whatever the judge prefers", async () => {
  const { item, author } = await classWithTree();
  await grow(item.id, 60);
  const random = generator(20_261_126);
  const quality = (text: string) => Number(/quality (\d+)/.exec(text)?.[1] ?? 0);
  const { report, made } = await started(author, taught, {
    against: taught,
    content_item_ids: [item.id],
    most_nodes: 60,
    judge: true,
    limit_micros: 1_000_000_000,
  });
  expect(made.estimate.calls).toBe(180);
  world.llm.reset();
  // A judge that prefers the first of a similar pair.
  world.llm.improvise((request) => {
    if (request.model !== judgeModel)
      return { chunks: asking(`It has quality ${Math.floor(random() * 100)}.`) };
    const { A, B } = shownIn(request);
    return { chunks: [says(quality(A) + 10 >= quality(B) ? "A" : "B")] };
  });
  await work();
  const { judgement } = (await report()).body;
  const { won, tied, lost } = judgement.pairs;
  expect(won + tied + lost).toBe(60);
  expect(tied, "the leaning makes ties").toBeGreaterThan(3);
  expect(judgement.share.low).toBeLessThanOrEqual(0.5);
  expect(judgement.share.high).toBeGreaterThanOrEqual(0.5);
  expect(judgement.sign_test.p_value).toBeGreaterThan(0.05);

  /** Stores so many answers of the version below the topic's root, each with a separate quality. */
  async function grow(itemId: number, most: number) {
    const dice = generator(7);
    const { rows } = await world.deps.db.execute<{ id: number }>(
      sql`select id from cache_nodes where content_item_id = ${itemId} order by id`,
    );
    const [root, node] = rows;
    const choices = Object.fromEntries(Array.from({ length: most }, (_, at) => [`m${at}`, `m${at}`]));
    await world.deps.db.execute(
      sql`update cache_nodes set choices = choices || ${JSON.stringify(choices)}::jsonb where id = ${root?.id}`,
    );
    for (let at = 0; at < most; at += 1) {
      const { text, question } = told(`It has quality ${Math.floor(dice() * 100)}.`);
      await world.deps.db.execute(sql`
        insert into cache_nodes (content_item_id, parent_id, message, prompt_name, prompt_version, model,
          prompt_fingerprint, content_fingerprint, chunks, question, choices, visit_count)
        select content_item_id, parent_id, ${`m${at}`}, prompt_name, prompt_version, model,
          prompt_fingerprint, content_fingerprint, ${JSON.stringify([text])}::jsonb, ${JSON.stringify(question)}::jsonb, '{}', ${5 + (at % 7)}
        from cache_nodes where id = ${node?.id}`);
    }
  }
});

/** An answer as stored. */
function told(text: string) {
  const question = {
    questionId: "q1",
    question: "Which of them?",
    options: ["A", "B"].map((id) => ({ id, text: `Option ${id}` })),
  };
  return { text: `${text}\n\n\`\`\`mcq\n${JSON.stringify(question)}\n\`\`\``, question };
}

/** Reproducible numbers from 0 to 1: a linear congruential generator (Numerical Recipes). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

it("staff who may read a trial vote on its pairs, once each, and the report shows the judge's agreement", async () => {
  const { item, author, university, report, cases, path } = await trial();
  play([asking("It is new.")], ({ A }) => says(A.includes("It is new.") ? "A" : "B"));
  expect(
    (await author.put(`${path}/cases/${(await cases()).body[0].id}/vote`, { vote: "TIE" })).body,
  ).toEqual({
    detail: "This case has no pair of answers",
  });
  await work();
  const { body: pairs } = await cases();
  const voteAt = (at: number) => `${path}/cases/${pairs[at].id}/vote`;
  const other = world.as(await make.holder("instructor", university.id));
  expect(await author.put(voteAt(0), { vote: "RECORDED" })).toMatchObject({
    status: 200,
    body: { candidate: 0, recorded: 1, tie: 0, own: "RECORDED" },
  });
  expect((await author.put(voteAt(0), { vote: "candidate" })).body).toEqual({
    ...{ candidate: 1, recorded: 0, tie: 0, own: "CANDIDATE" },
  });
  expect((await other.put(voteAt(0), { vote: "TIE" })).body).toMatchObject({
    candidate: 1,
    tie: 1,
    own: "TIE",
  });
  await author.put(voteAt(1), { vote: "CANDIDATE" });
  expect((await report()).body).toMatchObject({
    votes: { people: 2, pairs: 2, votes: { won: 2, tied: 1, lost: 0 } },
    judgement: { agreement: { passed: 2, of: 3 } },
  });
  expect((await cases()).body[0].votes).toEqual({ candidate: 1, recorded: 0, tie: 1, own: "CANDIDATE" });
  for (const _ of ["once", "again"]) expect((await other.delete(voteAt(0))).status).toBe(204);
  expect((await report()).body.judgement.agreement).toMatchObject({ passed: 2, of: 2, share: 1 });

  for (const role of ["ta", "student"] as const)
    expect(
      (await world.as(await make.holder(role, university.id)).put(voteAt(0), { vote: "TIE" })).status,
    ).toBe(403);
  const elsewhere = world.as(await make.holder("instructor", (await make.university()).id));
  expect((await elsewhere.put(voteAt(0), { vote: "TIE" })).status).toBe(404);
  expect((await elsewhere.delete(voteAt(0))).status).toBe(404);
  expect((await author.put(`${path}/cases/999999999/vote`, { vote: "TIE" })).status).toBe(404);
  expect((await author.delete(`${path}/cases/999999999/vote`)).status).toBe(404);
  expect((await author.put(`${path}/cases/no/vote`, { vote: "TIE" })).status).toBe(422);
  for (const wrong of [{}, { vote: "BOTH" }, { vote: null }, []])
    expect((await author.put(voteAt(0), wrong)).status, JSON.stringify(wrong)).toBe(422);
  const elsewhereTrial = await started(author, taught, {
    against: taught,
    content_item_ids: [item.id],
    limit_micros,
  });
  expect(
    (await author.put(`${elsewhereTrial.path}/cases/${pairs[0].id}/vote`, { vote: "TIE" })).status,
    "a case of another trial",
  ).toBe(404);
});

it("of concurrent votes, each person has one", async () => {
  const { author, cases, path, report } = await trial();
  play([asking("It is new.")], () => says("tie"));
  await work();
  const [pair] = (await cases()).body;
  const votes = ["CANDIDATE", "RECORDED", "TIE", "CANDIDATE", "TIE"];
  const said = await Promise.all(votes.map((vote) => author.put(`${path}/cases/${pair.id}/vote`, { vote })));
  expect(said.map(({ status }) => status)).toEqual(votes.map(() => 200));
  const { people, votes: counts } = (await report()).body.votes;
  expect([people, counts.won + counts.tied + counts.lost]).toEqual([1, 1]);
});

it("an unknown judge, the tested model, or one without a price, is rejected", async () => {
  const { item, author, course } = await classWithTree();
  const input = { against: taught, content_item_ids: [item.id], judge: true, limit_micros };
  const path = `/prompts/tutor/versions/${taught}/trials`;
  expect((await author.post(path, { ...input, judge: "yes" })).status).toBe(422);
  const refused = async (JUDGE_MODEL: string | undefined) => {
    const { config } = world.deps;
    Object.assign(world.deps, { config: { ...config, JUDGE_MODEL } });
    const { status, body } = await author.post(path, input);
    Object.assign(world.deps, { config });
    return [status, body.detail];
  };
  expect(await refused(undefined)).toEqual([400, "There is no judge: JUDGE_MODEL is not set"]);
  expect(await refused("unpriced")).toEqual([400, "The model unpriced has no price in LLM_PRICES"]);
  await world.deps.db.execute(sql`update courses set llm_model = ${judgeModel} where id = ${course.id}`);
  expect(await author.post(path, input)).toMatchObject({
    status: 400,
    body: { detail: `${judgeModel} is both JUDGE_MODEL and the model of the trial` },
  });
});
