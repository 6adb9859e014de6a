import { expect, it } from "vitest";
import { readFileStorageUseSamples } from "../../../../lib/operations/watch/store-use.ts";
import { makersOf } from "../../../support/makers.ts";
import { makeSamlProvider } from "../../../support/saml-provider.ts";
import { openWorld } from "../../../support/world.ts";
import { openQuiz } from "../../assessment/exam.ts";

const world = openWorld();
const make = makersOf(world);
const run = (statement: string) => world.deps.db.execute(statement);

/** A gauge's samples by its label `of`. */
async function gauge(name: string): Promise<Record<string, number>> {
  const text = await (await world.app.request("/metrics")).text();
  const lines = [...text.matchAll(new RegExp(`^${name}\\{of="(\\w+)"\\} (\\S+)$`, "gm"))];
  return Object.fromEntries(lines.map(([, of, value]) => [of, Number(value)]));
}

const hours = (count: number): number => count * 3600;
const day = 24;

it("work of the schedule is overdue since its due time, and not before", async () => {
  const overdue = () => gauge("schedule_overdue_seconds");
  expect(Object.values(await overdue()).every((seconds) => seconds === 0)).toBe(true);

  const { start, item } = await openQuiz(world, { time_limit_seconds: 60 });
  const { id } = (await start()).body;
  await run(`update quiz_attempts set due_at = service_now() - interval '3 hours' where id = ${Number(id)}`);
  for (const [address, due] of [
    ["late", "service_now() - interval '2 hours'"],
    ["early", "service_now() + interval '1 hour'"],
  ])
    await run(
      `insert into mail_outbox (kind, address, created_at, due_at) values ('notifications', '${address}@example.edu', service_now(), ${due})`,
    );
  await run(`
    with object as (insert into stored_objects (key, size) values ('objects/late', 1) returning id)
    insert into files (purpose, state, name, media_type, size, object_id, content_item_id, completed_at)
    select 'asset', 'checking', 'late.txt', 'text/plain', 1, id, ${Number(item.id)}, service_now() - interval '4 hours' from object`);
  await run(`
    insert into scheduled_tasks (name, begun_at, held_until)
    values ('prune', service_now() - interval '29 hours', null),
           ('schedule', service_now() - interval '9 hours', service_now() - interval '6 hours')`);
  await run("update scheduled_tasks set begun_at = service_now() - interval '34 hours' where name = 'count'");
  const found = await overdue();
  const expected = { attempts: 3, mail: 2, files: 4, night: 5, lease: 6, counts: 7 };
  expect(Object.keys(found).toSorted()).toEqual(Object.keys(expected).toSorted());
  // An attempt has some seconds of grace.
  for (const [of, due] of Object.entries(expected)) expect(Math.round((found[of] ?? 0) / 3600), of).toBe(due);
});

it("the first key, certificate and metadata to expire are known by kind", async () => {
  const expiring = () => gauge("credential_expires_seconds");
  expect(await expiring()).toEqual({});
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  for (const days of [40, 20]) {
    const expires_at = new Date(world.deps.now().getTime() + hours(days * day) * 1000).toISOString();
    const made = await admin.post(`/universities/${university.id}/api-keys`, {
      ...{ name: `For ${days} days`, scopes: ["scim"], expires_at },
    });
    expect(made.status, made.text).toBe(201);
  }
  const { metadata } = await makeSamlProvider(world.deps.now);
  const added = await admin.post(`/universities/${university.id}/identity-providers`, {
    ...{ kind: "saml", name: "campus", label: "Campus account", metadata: metadata() },
  });
  expect(added.status, added.text).toBe(201);
  const found = await expiring();
  expect(found["api_keys"]).toBeCloseTo(hours(20 * day), -1);
  expect(found["saml_own"]).toBeGreaterThan(hours(365 * day));
  expect(Object.keys(found)).toContain("saml_provider");

  await run("update saml_providers set valid_until = '2001-01-01'");
  expect((await expiring())["saml_metadata"]).toBeLessThan(0);
  await run(`update universities set is_active = false where id = ${Number(university.id)}`);
  expect(Object.keys(await expiring())).toEqual(["api_keys"]);
});

it("a folder's disk and the fullest quota have a used share, and a bucket has no disk", async () => {
  const { db, config } = world.deps;
  const [one, other] = [await make.university(), await make.university()];
  await run(`insert into file_usage (university_id, bytes)
    values (${Number(one.id)}, 25000000000), (${Number(other.id)}, 1)`);
  const usedOf = async (FILE_STORE: string) => {
    const given = { ...config, FILE_STORE: config.FILE_STORE, FILE_QUOTA_GB: 50 };
    const folder = { kind: "folder", path: FILE_STORE } as NonNullable<typeof config.FILE_STORE>;
    const samples = await readFileStorageUseSamples(db, {
      ...given,
      FILE_STORE: FILE_STORE ? folder : bucket,
    });
    return Object.fromEntries(samples.map(({ sample, value }) => [sample, value]));
  };
  const bucket = { kind: "s3", bucket: "learn", region: "eu-west-2" } as NonNullable<
    typeof config.FILE_STORE
  >;
  const used = await usedOf("/");
  expect(used["files_quota_used_ratio"]).toBe(0.5);
  expect(used["files_store_used_ratio"]).toBeGreaterThan(0);
  expect(used["files_store_used_ratio"]).toBeLessThanOrEqual(1);
  expect(Object.keys(await usedOf(""))).toEqual(["files_quota_used_ratio"]);
  expect(Object.keys(await usedOf("/there/is/none"))).toEqual(["files_quota_used_ratio"]);
});
