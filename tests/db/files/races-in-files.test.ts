import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { hashAndScanPendingFiles } from "../../../lib/files/check-files.ts";
import { pruneFiles } from "../../../lib/files/prune.ts";
import { eraseLeftovers } from "../../../lib/operations/personal-data/erase-leftovers.ts";
import { atOnce } from "../../support/at-once.ts";
import { eraseAccountOf } from "../../support/erase.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { putBytes, sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld({ FILE_QUOTA_GB: "1" });
const make = makersOf(world);
const rounds = [0, 1, 2, 3, 4, 5];
const never = new AbortController().signal;

const fields = { name: "notes.txt", media_type: "text/plain", size: 15 };
const bytes = new TextEncoder().encode("They interfere.");

async function openRace() {
  const { learner, offering, lab, here } = await openLab(world);
  const scope = { purpose: "SUBMISSION", course_offering_id: offering.id, content_item_id: lab.id };
  const client = world.as(learner);
  await client.token;
  return { learner, client, scope, work: `${here}/assignments/${lab.id}/submissions` };
}

/** A person's remaining files, and bytes in the store that no job would delete. */
async function leftOf(person: number) {
  await eraseLeftovers(world.deps, never);
  await hashAndScanPendingFiles(world.deps, never);
  const { rows } = await world.deps.db.execute(sql`
    select (select count(*)::int from files where uploaded_by_user_id = ${person}) as files,
      (select count(*)::int from upload_days where user_id = ${person}) as days,
      (select count(*)::int from stored_objects where unused_since is null) as used`);
  return rows[0];
}

const nothing = { files: 0, days: 0, used: 0 };

it.each(rounds)("an erasure during the registration of an upload leaves none of it (%i)", async (round) => {
  const { learner, client, scope } = await openRace();
  const [erased, promised] = await atOnce(
    round,
    () => eraseAccountOf(world, learner),
    () => client.post("/files/", { ...fields, ...scope }),
  );
  expect(erased).toBe(204);
  expect([201, 401, 403, 404]).toContain(promised.status);
  expect(await leftOf(learner.id)).toEqual(nothing);
});

it.each(rounds)(
  "an erasure during the completion of an upload leaves none of its bytes (%i)",
  async (round) => {
    const { learner, client, scope } = await openRace();
    const { body: file } = await client.post("/files/", { ...fields, ...scope });
    await putBytes(world.deps, file.upload.url, bytes);
    const [erased, completed] = await atOnce(
      round,
      () => eraseAccountOf(world, learner),
      () => client.post(`/files/${file.id}/complete`, {}),
    );
    expect(erased).toBe(204);
    expect([200, 401, 404]).toContain(completed.status);
    expect(await leftOf(learner.id)).toEqual(nothing);
    // After a week by the database's clock, the bytes are deleted.
    const before = world.deps.now();
    world.setNow(new Date(Date.now() + 8 * 86_400_000));
    await pruneFiles(world.deps, never);
    world.setNow(before);
    for await (const left of world.deps.fileStore.list("objects/")) expect(left).toBeUndefined();
  },
);

it.each(rounds)(
  "the end of an erasure during the completion of an upload leaves none of it (%i)",
  async (round) => {
    const { learner, client, scope } = await openRace();
    const { body: file } = await client.post("/files/", { ...fields, ...scope });
    await putBytes(world.deps, file.upload.url, bytes);
    // A request authorized before the erasure runs to its end.
    const [, completed] = await atOnce(
      round,
      () => world.deps.db.execute(sql`select erase_files_of_person(${learner.id}, now())`),
      () => client.post(`/files/${file.id}/complete`, {}),
    );
    expect([200, 404]).toContain(completed.status);
    await world.deps.db.execute(sql`select erase_files_of_person(${learner.id}, now())`);
    expect(await leftOf(learner.id)).toEqual(nothing);
  },
);

it.each(rounds)("an erasure during a submission with a file leaves nothing of either (%i)", async (round) => {
  const { learner, client, scope, work } = await openRace();
  const { body: file } = await sendFile(world.deps, client, scope);
  const [erased, submitted] = await atOnce(
    round,
    () => eraseAccountOf(world, learner),
    () => client.post(work, { body: "x", file_ids: [file.id] }),
  );
  expect(erased).toBe(204);
  expect([201, 400, 401, 403, 404]).toContain(submitted.status);
  expect(await leftOf(learner.id)).toEqual(nothing);
});

it.each(rounds)(
  "two tabs that complete one upload get the same response, and its bytes are stored once (%i)",
  async (round) => {
    const { client, scope, learner } = await openRace();
    const { body: file } = await client.post("/files/", { ...fields, ...scope });
    await putBytes(world.deps, file.upload.url, bytes);
    const complete = () => client.post(`/files/${file.id}/complete`, {});
    const answers = await atOnce(round, complete, complete);
    expect(answers.map(({ status, body }) => [status, body.state])).toEqual([
      [200, "READY"],
      [200, "READY"],
    ]);
    const stranger = world.as(await make.person());
    expect((await stranger.post(`/files/${file.id}/complete`, {})).status).toBe(404);
    const { rows } = await world.deps.db.execute(sql`
    select count(*)::int as used from stored_objects where unused_since is null and id in (
      select object_id from files where uploaded_by_user_id = ${learner.id})`);
    expect(rows).toEqual([{ used: 1 }]);
    await eraseAccountOf(world, learner);
    expect(await leftOf(learner.id)).toEqual(nothing);
  },
);

it.each(rounds)("two concurrent uploads do not exceed a university's quota (%i)", async (round) => {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  await admin.token;
  const promise = () =>
    admin.post("/files/", { ...fields, size: 600_000_000, purpose: "ASSET", university_id: university.id });
  const answers = await atOnce(round, promise, promise);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  expect(answers.find(({ status }) => status === 400)?.body.detail).toBe(
    "The university's quota of 1 GB is used up",
  );
});
