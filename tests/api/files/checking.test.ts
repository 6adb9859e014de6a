import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hashAndScanPendingFiles, leaseNextUncheckedFileQuery } from "../../../lib/files/check-files.ts";
import { extractDocumentTexts } from "../../../lib/files/extract-document-texts.ts";
import { itemFileTextsJsonQuery } from "../../../lib/tutor/chat/file-texts.ts";
import { eicar, startClamdStandIn } from "../../support/clamd-stand-in.ts";
import { makersOf } from "../../support/makers.ts";
import { sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

let clamd: Awaited<ReturnType<typeof startClamdStandIn>>;
beforeAll(async () => {
  clamd = await startClamdStandIn();
});
const world = openWorld(() => ({ FILE_SCANNER: clamd.setting }));
afterAll(() => clamd.close());

const make = makersOf(world);
const never = new AbortController().signal;

async function shown(bytes: string) {
  const university = await make.university();
  const course = await make.course(university.id);
  const item = await make.contentItem(await make.module(course.id), university.id, {
    type: "resource",
    data_json: {},
  });
  const teacher = world.as(await make.holder("instructor", university.id));
  const colleague = world.as(await make.holder("instructor", university.id));
  const scope = { purpose: "ASSET", course_id: course.id };
  const { body: file } = await sendFile(world.deps, teacher, scope, new TextEncoder().encode(bytes));
  await teacher.put(`/content/${item.id}`, {
    data_json: { resources: [{ label: "Notes", kind: "article", file_id: file.id }] },
  });
  return { file, item, teacher, colleague };
}

it("a file is readable only for its uploader until the scan, and then for the others", async () => {
  const { file, item, teacher, colleague } = await shown("Waves that meet add up.");
  expect(file.state).toBe("CHECKING");
  expect((await teacher.get(`/files/${file.id}/content`)).status).toBe(302);
  expect((await colleague.get(`/files/${file.id}`)).status).toBe(404);
  await hashAndScanPendingFiles(world.deps, never);
  expect((await colleague.get(`/files/${file.id}`)).body.state).toBe("READY");
  await extractDocumentTexts(world.deps, never);
  const { rows } = await world.deps.db.execute(sql`
    select told.name, told.characters, content
    from json_to_recordset((${itemFileTextsJsonQuery(sql`${item.id}`)})) as told (name text, sha256 text, characters int)
    join stored_objects as object on object.sha256 = told.sha256 join file_texts as text on text.object_id = object.id`);
  expect(rows).toEqual([{ name: "notes.txt", characters: 23, content: "Waves that meet add up." }]);
});

it("a file with malware is rejected and audited, and its bytes are deleted", async () => {
  const { file, teacher } = await shown(`a ${eicar}`);
  await hashAndScanPendingFiles(world.deps, never);
  const { body } = await teacher.get(`/files/${file.id}`);
  expect([body.state, body.refusal, body.code]).toEqual([
    "REFUSED",
    "The scanner found Eicar-Test-Signature",
    "file_infected",
  ]);
  expect((await teacher.get(`/files/${file.id}/content`)).status).toBe(404);
  const told = await world.deps.db.execute(
    sql`select details from audit_events where action = 'file.refused' and details ->> 'file_id' = ${String(file.id)}`,
  );
  expect(told.rows).toHaveLength(1);
  const objects = await world.deps.db.execute(
    sql`select from stored_objects where going_at is null and unused_since is not null`,
  );
  expect(objects.rows).toEqual([]);
});

it("an unavailable scanner is asked again later, and a dead worker holds a file for a limited time", async () => {
  const { file, teacher } = await shown("Waves");
  clamd.setMood("closing");
  expect(await hashAndScanPendingFiles(world.deps, never)).toEqual({ checked: 0 });
  clamd.setMood("well");
  expect(await hashAndScanPendingFiles(world.deps, never)).toEqual({ checked: 0 });
  world.setNow("2026-03-10T12:01:01.000Z");
  // Another worker has it, and dies.
  await world.deps.db.execute(leaseNextUncheckedFileQuery("2026-03-10T12:01:01Z", "2026-03-10T12:16:01Z"));
  expect(await hashAndScanPendingFiles(world.deps, never)).toEqual({ checked: 0 });
  world.setNow("2026-03-10T12:16:02.000Z");
  expect(await hashAndScanPendingFiles(world.deps, never)).toEqual({ checked: 1 });
  expect((await teacher.get(`/files/${file.id}`)).body.state).toBe("READY");
});
