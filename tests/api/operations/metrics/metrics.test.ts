import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { sampleOf } from "../../../support/samples.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const scrape = async (): Promise<string> => (await world.app.request("/metrics")).text();

async function growth(sample: string, work: () => Promise<unknown>): Promise<number> {
  const before = sampleOf(await scrape(), sample);
  await work();
  return sampleOf(await scrape(), sample) - before;
}

describe("the metrics", () => {
  it("are these families, each with its help and its type, and nothing else", async () => {
    const types = [...(await scrape()).matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [
      name,
      type,
    ]);
    expect(types).toEqual([
      ["http_requests_total", "counter"],
      ["http_request_duration_seconds", "histogram"],
      ["http_requests_in_progress", "gauge"],
      ["db_query_total", "counter"],
      ["db_query_duration_seconds", "histogram"],
      ["db_sequence_used_ratio", "gauge"],
      ["db_behind_seconds", "gauge"],
      ["schedule_overdue_seconds", "gauge"],
      ["credential_expires_seconds", "gauge"],
      ["tutor_questions_total", "counter"],
      ["tutor_keys_total", "counter"],
      ["tutor_failed_checks_total", "counter"],
      ["tutor_warmed_total", "counter"],
      ["tutor_moves_total", "counter"],
      ["prompt_trial_cases_total", "counter"],
      ["llm_batches_total", "counter"],
      ["llm_unknown_stops_total", "counter"],
      ["llm_problems_total", "counter"],
      ["prompt_rollouts_ended_total", "counter"],
      ["tutor_steps_total", "counter"],
      ["tutor_embeddings_total", "counter"],
      ["tutor_embeddings_tokens_total", "counter"],
      ["lti_launches_total", "counter"],
      ["lti_service_calls_total", "counter"],
      ["saml_responses_total", "counter"],
      ["files_uploaded_total", "counter"],
      ["files_uploaded_bytes_total", "counter"],
      ["files_stored_bytes", "gauge"],
      ["files_quota_used_ratio", "gauge"],
      ["files_store_used_ratio", "gauge"],
      ["retention_rows_forgotten_total", "counter"],
      ["errors_total", "counter"],
    ]);
  });

  it("name each sequence that has drawn more than half of its numbers, and no other", async () => {
    const named = async () => [
      ...(await scrape()).matchAll(/^db_sequence_used_ratio\{sequence="(\w+)"\} (\S+)$/gm),
    ];
    expect(await named()).toEqual([]);
    await world.deps.db.execute(
      "select setval('course_prerequisites_id_seq', 1610612736), setval('terms_id_seq', 1073741823)",
    );
    expect((await named()).map(([, sequence, used]) => [sequence, Number(used).toFixed(2)])).toEqual([
      ["course_prerequisites_id_seq", "0.75"],
    ]);
  });

  it("have the lag of work that all universities share", async () => {
    const behind = async () =>
      Object.fromEntries(
        [...(await scrape()).matchAll(/^db_behind_seconds\{of="(\w+)"\} (\S+)$/gm)].map(([, of, seconds]) => [
          of,
          Number(seconds),
        ]),
      );
    const run = (statement: string) => world.deps.db.execute(statement);
    await run("update scheduled_tasks set begun_at = '1970-01-01' where name = 'count'");
    expect(Object.keys(await behind()), "what was never counted, or asked for, is not behind").toEqual([
      "feed",
    ]);
    await run(
      "update scheduled_tasks set begun_at = service_now() - interval '40 hours' where name = 'count'",
    );
    const { item } = await make.topic();
    await run(`
      insert into passage_vector_sweeps (model, done_to, begun_at) select 'model', coalesce(max(id), 0), now() from passages;
      insert into passages (content_item_id, number, place, body, search, length)
      values (${item.id}, 900, '{}', 'Words', '', 1);
      update content_items set updated_at = now() - interval '3 hours' where id = ${item.id}`);
    const found = await behind();
    expect(found["days"]).toBeCloseTo(40 * 3600, -2);
    expect(found["passages"]).toBeCloseTo(3 * 3600, -2);
    await run(
      "insert into passage_vectors (passage_id, model, vector) select max(id), 'model', '{1}' from passages",
    );
    expect((await behind())["passages"]).toBe(0);
    await world.deps.db.transaction(async (tx) => {
      await tx.execute("update countries set name = name");
      await expect.poll(async () => (await behind())["feed"]).toBeGreaterThan(0.05);
    });
  });

  it("count requests by method, route pattern and status", async () => {
    const someone = await make.person();
    const of = (method: string, path: string, status: number) =>
      `http_requests_total{method="${method}",path="${path}",status="${status}"}`;
    const client = world.as(someone);
    expect(
      await growth(of("GET", "/api/v1/courses/{course_id}", 404), async () => {
        await client.get("/courses/2147483647");
        await client.get("/courses/2147483646/");
      }),
    ).toBe(2);
    expect(await growth(of("GET", "/api/v1/users/me", 200), () => client.get("/users/me"))).toBe(1);
    expect(await growth(of("PATCH", "/api/v1/users/me", 405), () => client.patch("/users/me", {}))).toBe(1);
  });

  it("have few label values for any request", async () => {
    const ask = (path: string, method: string) => async () => world.app.request(path, { method });
    const unmatched = (method: string) =>
      `http_requests_total{method="${method}",path="unmatched",status="404"}`;
    expect(await growth(unmatched("GET"), ask("/some/path/of/an/attacker", "GET"))).toBe(1);
    expect(await growth(unmatched("other"), ask("/another", "BREW"))).toBe(1);
  });

  it("count each error by its type and route", async () => {
    const of = (type: string, path: string) => `errors_total{type="${type}",path="${path}"}`;
    const nobody = world.as();
    expect(await growth(of("unauthorized", "/api/v1/users/me"), () => nobody.get("/users/me"))).toBe(1);
    expect(
      await growth(of("validation", "/api/v1/courses/{course_id}"), () => nobody.get("/courses/x")),
    ).toBe(1);
    expect(await growth(of("bad_request", "/api/v1/users/me"), () => nobody.get("/users/me"))).toBe(0);
  });

  it("time requests and queries, each in one bucket of the histogram", async () => {
    const someone = await make.person();
    const before = await scrape();
    await world.as(someone).get("/users/me");
    const after = await scrape();
    const grown = (sample: string) => sampleOf(after, sample) - sampleOf(before, sample);
    expect(grown("http_request_duration_seconds_count")).toBe(2);
    expect(grown('http_request_duration_seconds_bucket{le="+Inf"}')).toBe(2);
    expect(grown("http_request_duration_seconds_sum")).toBeGreaterThan(0);
    // One of the read, and three of the metrics.
    expect(grown('db_query_total{operation="select"}')).toBe(4);
    expect(grown("db_query_duration_seconds_count")).toBe(4);
    const buckets = [...after.matchAll(/^http_request_duration_seconds_bucket\{le="[^"]+"\} (\d+)$/gm)];
    const values = buckets.map(([, value]) => Number(value));
    expect(values).toEqual(values.toSorted((one, two) => one - two));
  });

  it("show the requests in progress of the instances that live", async () => {
    const busy = world.app.request("/metrics");
    await busy;
    expect(sampleOf(await scrape(), "http_requests_in_progress")).toBe(1);
  });

  it("are not counted for themselves: an idle instance writes nothing", async () => {
    await world.deps.metrics.report();
    const before = await scrape();
    await world.deps.metrics.report();
    await world.deps.metrics.report();
    const after = await scrape();
    const inserts = 'db_query_total{operation="insert"}';
    expect(sampleOf(after, inserts)).toBe(sampleOf(before, inserts));
  });

  it.skipIf(spawnSync("promtool", ["--version"]).error)(
    "are in order for Prometheus's own tool",
    async () => {
      expect(String(execFileSync("promtool", ["check", "metrics"], { input: await scrape() }))).toBe("");
    },
  );
});

describe("with METRICS_TOKEN", () => {
  const guarded = openWorld({ METRICS_TOKEN: "the-token-of-the-scraper" });
  const ask = (authorization?: string) =>
    guarded.app.request("/metrics", { headers: authorization ? { authorization } : {} });

  it("the metrics require it as a Bearer token", async () => {
    expect((await ask("Bearer the-token-of-the-scraper")).status).toBe(200);
    for (const wrong of [undefined, "Bearer another", "Bearer ", "the-token-of-the-scrape"]) {
      const answer = await ask(wrong);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });
});

describe("without ENABLE_METRICS", () => {
  const silent = openWorld({ ENABLE_METRICS: "false" });

  it("there is nothing at /metrics, and nothing is stored", async () => {
    const answer = await silent.app.request("/metrics");
    expect([answer.status, await answer.json()]).toEqual([404, { detail: "Not Found" }]);
  });
});
