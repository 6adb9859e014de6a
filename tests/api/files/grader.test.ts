import { expect, it } from "vitest";
import { signGraderCall } from "../../../lib/assessment/grader-signature.ts";
import { serveStored } from "../../support/file-stores.ts";
import { openLab } from "../../support/lab.ts";
import { sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const noon = "2026-03-10T12:00:00.000Z";

async function openGrader() {
  const { here, lab, offering, learner, teacher, submit } = await openLab(world);
  const { secret } = (await world.as(teacher).get(`${here}/assignments/${lab.id}/auto-grader`)).body;
  const scope = { purpose: "SUBMISSION", course_offering_id: offering.id, content_item_id: lab.id };
  const { body: file } = await sendFile(world.deps, world.as(learner), scope);
  const { id } = (await submit({ file_ids: [file.id] })).body;
  const read = (key = secret, { body = "", about = id, minutes = 0 } = {}) => {
    const at = Date.parse(noon) + minutes * 60_000;
    const digest = signGraderCall(key, { at, submissionId: about, body });
    const headers = { "x-grader-signature": `t=${at},v1=${digest}` };
    return world
      .as()
      .request("GET", `/assessments/submissions/${id}/auto-grade/files`, undefined, { headers });
  };
  return { file, read };
}

it("an item's grader gets URLs of a submission's files, for an hour and without a token", async () => {
  world.setNow(noon);
  const { file, read } = await openGrader();
  const { status, body } = await read();
  expect([status, body]).toEqual([
    200,
    [
      {
        ...{ id: file.id, name: "notes.txt", media_type: "text/plain", size: 15, sha256: file.sha256 },
        ...{ url: expect.stringContaining("/stored/"), expires_at: "2026-03-10T13:00:00.000Z" },
      },
    ],
  ]);
  const stored = await serveStored(world.deps);
  try {
    world.setNow("2026-03-10T12:59:59.000Z");
    const answer = await stored.get(body[0].url);
    expect([answer.status, await answer.text()]).toEqual([200, "They interfere."]);
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment/);
    world.setNow("2026-03-10T13:00:01.000Z");
    expect((await stored.get(body[0].url)).status).toBe(403);
  } finally {
    await stored.close();
    world.setNow(noon);
  }
});

it("callers need a signature of that submission with the current secret from the last five minutes", async () => {
  world.setNow(noon);
  const { read } = await openGrader();
  const other = await openGrader();
  const refused = [
    await other.read("another secret"),
    await read(undefined, { minutes: -6 }),
    await read(undefined, { about: 2_000_000_000 }),
    // A grade's signature does not open files.
    await read(undefined, { body: JSON.stringify({ score: 1 }) }),
  ];
  expect(refused.map(({ status, body }) => [status, body.detail])).toEqual(
    refused.map(() => [401, "Could not validate signature"]),
  );
});
