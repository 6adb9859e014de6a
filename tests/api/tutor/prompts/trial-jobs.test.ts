import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type BatchResult, type LlmBatches, LlmError } from "../../../../lib/platform/llm/provider.ts";
import { checkBatches } from "../../../../scripts/ops/doctor/batches.ts";
import { type LlmStandIn, startLlmStandIn } from "../../../support/llm-stand-in.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { standInKeys, startS3StandIn } from "../../../support/s3-stand-in.ts";
import { openWorld } from "../../../support/world.ts";
import { prices, taught, trialsOf } from "./trials.ts";

// Amazon Bedrock's jobs, which read and write files in a bucket.
let bucket: Awaited<ReturnType<typeof startS3StandIn>>;
let llm: LlmStandIn;
beforeAll(async () => {
  bucket = await startS3StandIn();
  llm = await startLlmStandIn();
  llm.jobs.attach(bucket.objects);
});
afterAll(() => Promise.all([bucket.close(), llm.close()]));

const model = "eu.anthropic.model-of-the-tests";
const world = openWorld(() => ({
  LLM_PROVIDER: "cloud_managed",
  CLOUD_MODEL_ID: model,
  CLOUD_ENDPOINT_URL: llm.bedrockUrl,
  CLOUD_ACCESS_KEY_ID: standInKeys.accessKeyId,
  CLOUD_SECRET_ACCESS_KEY: standInKeys.secretAccessKey,
  CLOUD_BATCH_BUCKET: bucket.setting,
  CLOUD_BATCH_ROLE_ARN: "arn:aws:iam::123456789012:role/batches",
  LLM_PRICES: JSON.stringify({ [model]: prices["model-of-the-tests"] }),
}));
const { make, started, work } = trialsOf(world);

beforeEach(() => {
  llm.reset();
  bucket.objects.clear();
});

const pass = () =>
  world.deps.db.execute(sql`update llm_batches set leased_until = clock_timestamp() - interval '1 second'`);

it("a trial of a hundred calls or more is a job over a bucket, and a smaller one is called immediately", async () => {
  const { course, module, item } = await make.topic();
  const others = await Promise.all([1, 2].map(() => make.contentItem(module, course.university_id)));
  const ids = [item, ...others].map(({ id }) => id);
  const author = world.as(await make.holder("instructor", course.university_id));
  const input = { against: taught, kind: "LEAK", limit_micros: 1_000_000_000 };
  const small = await author.post(`/prompts/tutor/versions/${taught}/trials`, {
    ...input,
    content_item_ids: ids.slice(0, 1),
  });
  expect(small.body.estimate).toMatchObject({ by_batch: false, most_hours: null });
  const { made, report } = await started(author, taught, { ...input, content_item_ids: ids });
  expect(made.estimate).toMatchObject({ by_batch: true, most_hours: 24 });
  expect(made.estimate.calls).toBeGreaterThan(100);
  await work();
  expect(llm.jobs.all).toMatchObject([{ modelId: model, status: "Submitted" }]);
  await pass();
  await work();
  expect((await report()).body).toMatchObject({
    state: "FINISHED",
    cases: { answered: made.estimate.calls },
    cost: {
      spent_micros: (made.estimate.calls * (100 * 3 + 20 * 15)) / 2,
      reserved_micros: 0,
      lost_micros: 0,
    },
  });
  expect(llm.converseRequests, "nothing was asked at once").toEqual([]);
  expect([...bucket.objects.keys()], "what was sent and answered is gone").toEqual([]);
});

const batches = () => world.deps.llm.batches as LlmBatches;
const signal = () => noDeadline();
const requests = [7, 8, 9].map((call) => ({
  call,
  request: { model, system: "Teach.", messages: [{ role: "user" as const, content: `Start ${call}.` }] },
}));
const marker = () => crypto.randomUUID();
const sent = (name: string) => ({ marker: name, sentAt: new Date(), requests: 3 });
const resultsOf = (id: string, name: string): Promise<BatchResult[]> =>
  Array.fromAsync(batches().results(id, name, signal()));

it("a job is looked at until it has ended, and its answers are known by their calls", async () => {
  const name = marker();
  llm.jobs.hold(true);
  const id = await batches().send({ marker: name }, requests, signal());
  expect(llm.jobs.requestsOf(llm.jobs.all[0] as never)).toMatchObject([
    { recordId: "00000000007", modelInput: { system: [{ text: "Teach." }], messages: [{ role: "user" }] } },
    { recordId: "00000000008" },
    { recordId: "00000000009" },
  ]);
  expect(await batches().look(id, signal())).toBe("working");
  llm.jobs.hold(false);
  llm.jobs.reply(
    (number) =>
      [{ text: "<think>Hm.</think>Good." }, { errored: "400" }, { errored: "503" }][number - 1] ?? "expired",
  );
  expect(await batches().look(id, signal())).toBe("ended");
  expect(await resultsOf(id, name)).toMatchObject([
    {
      call: 7,
      events: [
        { type: "text", text: "Good." },
        { type: "end", complete: true, output_tokens: 20 },
      ],
    },
    { call: 8, failure: { kind: "rejected" } },
    { call: 9, failure: { kind: "unavailable" } },
  ]);
});

it("a job without a response to its creation is found again, and created once however often it is sent", async () => {
  const name = marker();
  llm.jobs.fault("answer lost");
  // The client itself retries.
  const id = await batches().send({ marker: name }, requests, signal());
  expect(llm.jobs.all).toHaveLength(1);
  expect(await batches().find(sent(name), [], signal())).toEqual({ id });
  expect(await batches().find(sent(marker()), [], signal())).toBe("none");
  await batches().send({ marker: name }, requests, signal());
  expect(llm.jobs.all).toHaveLength(1);
});

it("a job that is rejected, lost, stopped or partly answered is reported as such", async () => {
  llm.jobs.fault(400);
  const refused = await batches()
    .send({ marker: marker() }, requests, signal())
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(LlmError);
  expect(refused).toMatchObject({ kind: "rejected" });
  expect(
    await batches().look("arn:aws:bedrock:eu-west-2:123456789012:model-invocation-job/none", signal()),
  ).toBe("lost");

  const name = marker();
  const id = await batches().send({ marker: name }, requests, signal());
  llm.jobs.hold(true);
  await batches().cancel(id, signal());
  llm.jobs.hold(false);
  llm.jobs.reply((number) => (number === 2 ? { text: "In time." } : "canceled"));
  expect(await batches().look(id, signal())).toBe("ended");
  await batches().cancel(id, signal());
  expect(await resultsOf(id, name)).toMatchObject([{ call: 8 }]);
  expect(await resultsOf(id, name), "what was taken is gone").toEqual([]);
});

it("an unavailable bucket is a temporary failure", async () => {
  bucket.setTrouble("away");
  const away = await batches()
    .send({ marker: marker() }, requests, signal())
    .catch((error: unknown) => error);
  bucket.setTrouble(undefined);
  expect(away).toMatchObject({ kind: "unavailable" });
});

it("a batch of several models is rejected: a job has one", async () => {
  const mixed = [requests[0], { call: 8, request: { ...requests[1]?.request, model: "other" } }];
  await expect(batches().send({ marker: marker() }, mixed as never, signal())).rejects.toMatchObject({
    kind: "rejected",
  });
});

it("the doctor tests the bucket and lists jobs, names failures, and leaves nothing there", async () => {
  const { config } = world.deps;
  expect(await checkBatches(config)).toEqual([{ state: "ok", what: "s3://files accepts batches of calls" }]);
  expect(bucket.objects.size).toBe(0);
  bucket.setTrouble("full");
  const [full] = await checkBatches(config);
  bucket.setTrouble(undefined);
  expect(full).toMatchObject({
    state: "wrong",
    what: expect.stringContaining("the batch bucket cannot be reached"),
  });
  const without = { ...config, CLOUD_BATCH_BUCKET: undefined, CLOUD_BATCH_ROLE_ARN: undefined };
  expect(await checkBatches(without)).toMatchObject([
    { state: "advice", todo: expect.stringContaining("CLOUD_BATCH_BUCKET") },
  ]);
  expect(await checkBatches({ ...without, LLM_BATCHES: false })).toEqual([]);
});
