import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { hashAndScanPendingFiles } from "../../../lib/files/check-files.ts";
import { pruneFiles } from "../../../lib/files/prune.ts";
import {
  fileStoreFullError,
  fileStoreUnreachableError,
} from "../../../lib/platform/file-store/file-store.ts";
import { makersOf } from "../../support/makers.ts";
import { png, putBytes, sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld({ FILE_DAILY_COUNT: "30", FILE_QUOTA_GB: "1", FILE_ASSET_MAX_MB: "900" });
const make = makersOf(world);

const bytesOf = (text: string) => new TextEncoder().encode(text);
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const never = new AbortController().signal;

async function staffed() {
  const university = await make.university();
  const instructor = world.as(await make.holder("instructor", university.id));
  return { university, instructor, scope: { purpose: "ASSET", university_id: university.id } };
}

const promise = { name: "a.txt", media_type: "text/plain", size: 3 };

it("a file is announced, sent to the store itself, completed and read from the store", async () => {
  const { instructor, scope } = await staffed();
  const bytes = bytesOf("They interfere.");
  const done = await sendFile(world.deps, instructor, scope, bytes);
  expect(done.body).toMatchObject({
    ...{ purpose: "ASSET", state: "READY", refusal: null, media_type: "text/plain", size: bytes.length },
    ...{ sha256: hashOf(bytes), is_in_use: false, upload: null },
  });
  const content = `/files/${done.body.id}/content`;
  const led = await instructor.get(`${content}?inline=1`);
  expect([led.status, led.text]).toEqual([302, ""]);
  expect(led.headers.get("location")).toMatch(/\/stored\/objects\/[0-9a-f]{32}\?.*inline=1/);
  const told = await instructor.get(content, { headers: { accept: "application/json" } });
  expect(told.body.expires_at).toBe("2026-03-10T12:05:00.000Z");
});

it("concurrent completions by two tabs have one result; by another person it is a 404", async () => {
  const { university, instructor, scope } = await staffed();
  const { body: file } = await instructor.post("/files/", { ...promise, ...scope });
  await putBytes(world.deps, file.upload.url, bytesOf("abc"));
  const colleague = world.as(await make.holder("instructor", university.id));
  expect((await colleague.post(`/files/${file.id}/complete`, {})).status).toBe(404);
  const [one, other] = await Promise.all([1, 2].map(() => instructor.post(`/files/${file.id}/complete`, {})));
  expect([one?.status, other?.status, other?.body]).toEqual([200, 200, one?.body]);
  const again = await instructor.post(`/files/${file.id}/complete`, {});
  expect([again.status, again.body]).toEqual([200, one?.body]);
});

it("bytes that are sent to the same address after completing change nothing", async () => {
  const { instructor, scope } = await staffed();
  const { body: file } = await instructor.post("/files/", { ...promise, ...scope });
  await putBytes(world.deps, file.upload.url, bytesOf("abc"));
  const { body: done } = await instructor.post(`/files/${file.id}/complete`, {});
  await putBytes(world.deps, file.upload.url, bytesOf("xyz"));
  await hashAndScanPendingFiles(world.deps, never);
  const { body } = await instructor.get(`/files/${file.id}`);
  expect([body.state, body.sha256, done.sha256]).toEqual(["READY", hashOf(bytesOf("abc")), body.sha256]);
});

it("an empty upload is a 400 and may be completed later; other bytes than announced are rejected permanently", async () => {
  const { instructor, scope } = await staffed();
  const { body: file } = await instructor.post("/files/", { ...promise, ...scope });
  const nothing = await instructor.post(`/files/${file.id}/complete`, {});
  expect([nothing.status, nothing.body.detail]).toEqual([400, "No bytes were sent"]);
  expect((await instructor.get(`/files/${file.id}`)).body.state).toBe("PENDING");
  await putBytes(world.deps, file.upload.url, bytesOf("more than three"));
  const more = await instructor.post(`/files/${file.id}/complete`, {});
  expect([more.status, more.body.detail]).toEqual([400, "3 bytes were announced, and 15 were sent"]);
  expect(more.headers.get("X-Error-Code")).toBe("file_size_differs");
  const again = await instructor.post(`/files/${file.id}/complete`, {});
  expect([again.status, again.body]).toEqual([400, more.body]);
  expect((await instructor.get(`/files/${file.id}`)).body).toMatchObject({
    state: "REFUSED",
    refusal: more.body.detail,
    code: "file_size_differs",
  });
  const other = await sendFile(
    world.deps,
    instructor,
    { ...scope, sha256: hashOf(bytesOf("others")) },
    bytesOf("these"),
  );
  expect([other.status, other.body.detail]).toEqual([
    400,
    "The SHA-256 of the content differs from the announced one",
  ]);
});

it.each([
  [
    "HTML that is called a picture",
    "me.png",
    "image/png",
    bytesOf("<!DOCTYPE html><script>alert(1)</script>"),
  ],
  [
    "SVG with a script",
    "me.png",
    "image/png",
    bytesOf('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
  ],
  ["a ZIP archive", "me.webp", "image/webp", Buffer.from("504b0304140000000800", "hex")],
])("%s is no avatar, whatever it is called", async (_, name, media_type, bytes) => {
  const person = world.as(await make.person());
  const sent = await sendFile(world.deps, person, { purpose: "AVATAR", name, media_type }, bytes);
  expect(sent.status).toBe(400);
  expect(sent.body.detail).toMatch(/^A picture must be PNG, JPEG or WebP, and this is /);
});

it("invalid characters are removed from a name, and letters of any script stay", async () => {
  const { instructor, scope } = await staffed();
  const long = "ж".repeat(250);
  for (const [given, kept] of [
    ["C:\\fakepath\\bericht.pdf", "bericht.pdf"],
    ["../../etc/passwd", "passwd"],
    ["evil\u202egpj.exe", "evilgpj.exe"],
    ["a\u0001b\u0007.txt", "ab.txt"],
    ["  Übung 3 – 図.pdf ", "Übung 3 – 図.pdf"],
    [`${long}.pdf`, `${long}.pdf`],
  ])
    expect((await instructor.post("/files/", { ...promise, ...scope, name: given })).body.name).toBe(kept);
  for (const name of ["", "..", "/", "\u202e", "ж".repeat(256)])
    expect((await instructor.post("/files/", { ...promise, ...scope, name })).status).toBe(422);
});

it.each([
  [{ purpose: "ASSET" }, "university_id"],
  [{ purpose: "ASSET", university_id: 1, course_id: 1 }, "course_id"],
  [{ purpose: "SUBMISSION", course_offering_id: 1 }, "content_item_id"],
  [{ purpose: "FEEDBACK", course_offering_id: 1 }, "submission_id"],
  [{ purpose: "POST", course_offering_id: 1, submission_id: 1 }, "submission_id"],
  [{ purpose: "AVATAR", university_id: 1 }, "university_id"],
])("%j names too little or too much: 422 at %s", async (scope: object, field: string) => {
  const person = world.as(await make.person());
  const { status, body } = await person.post("/files/", { ...promise, ...scope });
  expect([status, body.detail[0].loc]).toEqual([422, ["body", field]]);
});

it("an empty file, one over its purpose's limit, and a stranger's are not promised", async () => {
  const { university, instructor, scope } = await staffed();
  expect((await instructor.post("/files/", { ...promise, ...scope, size: 0 })).status).toBe(422);
  const large = await instructor.post("/files/", { ...promise, ...scope, size: 900_000_001 });
  expect([large.status, large.body.detail]).toEqual([400, "A file of purpose ASSET can have at most 900 MB"]);
  const student = world.as(await make.holder("student", university.id));
  expect((await student.post("/files/", { ...promise, ...scope })).status).toBe(403);
  expect(
    (await student.post("/files/", { ...promise, purpose: "POST", course_offering_id: 999_999 })).status,
  ).toBe(404);
});

it("of two concurrent uploads that would exceed the university's quota together one is a 400", async () => {
  const { university, instructor, scope } = await staffed();
  const colleague = world.as(await make.holder("instructor", university.id));
  const large = { ...promise, ...scope, size: 90_000_000 };
  for (let count = 0; count < 10; count += 1) await instructor.post("/files/", large);
  const size = 99_000_000;
  const answers = await Promise.all(
    [instructor, colleague].map((one) => one.post("/files/", { ...large, size })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  const refused = answers.find(({ status }) => status === 400);
  expect(refused?.body.detail).toBe("The university's quota of 1 GB is used up");
  const taken = answers.find(({ status }) => status === 201);
  const owner = answers[0] === taken ? instructor : colleague;
  expect((await owner.delete(`/files/${taken?.body.id}`)).status).toBe(204);
  expect((await colleague.post("/files/", { ...large, size })).status).toBe(201);
});

it("a person announces a limited number of files a day, also concurrently, and learns when the next day begins", async () => {
  const person = world.as(await make.person());
  const picture = { ...promise, purpose: "AVATAR", name: "a.png", media_type: "image/png" };
  for (let count = 0; count < 29; count += 1) await person.post("/files/", picture);
  const last = await Promise.all([1, 2].map(() => person.post("/files/", picture)));
  expect(last.map(({ status }) => status).sort()).toEqual([201, 429]);
  const refused = last.find(({ status }) => status === 429);
  expect(refused?.headers.get("retry-after")).toBe(String(12 * 3600));
});

it("equal bytes of one university are stored once, of two universities twice", async () => {
  const { instructor, scope } = await staffed();
  const stranger = await staffed();
  const bytes = bytesOf(`the same ${make.unique("bytes")}`);
  const ids = [
    (await sendFile(world.deps, instructor, scope, bytes)).body.id,
    (await sendFile(world.deps, instructor, scope, bytes)).body.id,
    (await sendFile(world.deps, stranger.instructor, stranger.scope, bytes)).body.id,
  ];
  const { rows } = await world.deps.db.execute(sql`
    select count(distinct object_id)::int as count from files where id = any(${sql.param(ids)}::bigint[])`);
  expect(rows).toEqual([{ count: 2 }]);
  const used = await world.deps.db.execute(
    sql`select bytes from file_usage where university_id = ${scope.university_id}`,
  );
  expect(used.rows).toEqual([{ bytes: bytes.length }]);
});

it("a large file is sent in parts: the received ones are listed, and a missing one is a 400", async () => {
  const { instructor, scope } = await staffed();
  const bytes = Buffer.alloc(101 * 1024 * 1024, "They interfere. ");
  const { body: file } = await instructor.post("/files/", { ...promise, ...scope, size: bytes.length });
  const { parts } = file.upload;
  expect(file.upload.url).toBeNull();
  expect(parts.reduce((sum: number, { size }: { size: number }) => sum + size, 0)).toBe(bytes.length);
  for (const { url, offset, size } of parts.slice(1))
    await putBytes(world.deps, url, bytes.subarray(offset, offset + size));
  const missing = await instructor.post(`/files/${file.id}/complete`, {});
  expect([missing.status, missing.body.detail]).toEqual([400, "Parts are missing: 1"]);
  const { body: signed } = await instructor.get(`/files/${file.id}`);
  const left = signed.upload.parts.filter(({ url }: { url: string | null }) => url !== null);
  expect(left.map(({ number }: { number: number }) => number)).toEqual([1]);
  await putBytes(world.deps, left[0].url, bytes.subarray(0, left[0].size));
  const done = await instructor.post(`/files/${file.id}/complete`, {});
  expect([done.status, done.body.state]).toEqual([200, "CHECKING"]);
  const [one, other] = await Promise.all([
    hashAndScanPendingFiles(world.deps, never),
    hashAndScanPendingFiles(world.deps, never),
  ]);
  expect(one.checked + other.checked).toBe(1);
  expect((await instructor.get(`/files/${file.id}`)).body).toMatchObject({
    state: "READY",
    sha256: hashOf(bytes),
  });
});

it("incomplete and unused files are deleted after a day, their bytes after seven more, object first", async () => {
  const made = await make.person();
  const person = world.as(made);
  const picture = { purpose: "AVATAR", name: "a.png", media_type: "image/png" };
  const loose = (await sendFile(world.deps, person, picture, png)).body;
  const pending = (await person.post("/files/", { ...promise, ...picture })).body;
  const object = async () =>
    (await world.deps.db.execute(sql`select key from stored_objects where sha256 = ${loose.sha256}`)).rows;
  const [{ key }] = (await object()) as [{ key: string }];
  world.setNow("2026-03-11T12:00:01.000Z");
  await pruneFiles(world.deps, never);
  const later = world.as(made);
  for (const { id } of [loose, pending]) expect((await later.get(`/files/${id}`)).status).toBe(404);
  expect(await world.deps.fileStore.sizeOf(key)).toBe(png.length);
  // The database's clock is not the world's fixed one.
  await world.deps.db.execute(
    sql`update stored_objects set unused_since = ${"2026-03-11T12:00:01Z"} where key = ${key}`,
  );
  world.setNow("2026-03-18T12:00:00.000Z");
  await pruneFiles(world.deps, never);
  expect(await world.deps.fileStore.sizeOf(key)).toBe(png.length);
  world.setNow("2026-03-18T12:00:02.000Z");
  await pruneFiles(world.deps, never);
  expect(await world.deps.fileStore.sizeOf(key)).toBeUndefined();
  expect(await object()).toEqual([]);
  world.setNow("2026-03-10T12:00:00.000Z");
});

it("no file takes up bytes that are being deleted", async () => {
  const { instructor, scope } = await staffed();
  const bytes = bytesOf(`going ${make.unique("bytes")}`);
  const first = (await sendFile(world.deps, instructor, scope, bytes)).body;
  await instructor.delete(`/files/${first.id}`);
  await world.deps.db.execute(sql`
    update stored_objects set going_at = unused_since where sha256 = ${first.sha256}`);
  const second = (await sendFile(world.deps, instructor, scope, bytes)).body;
  await pruneFiles(world.deps, never);
  const led = await instructor.get(`/files/${second.id}/content`);
  const key = new URL(led.headers.get("location") ?? "").pathname.split("/stored/")[1] ?? "";
  expect(await world.deps.fileStore.sizeOf(key)).toBe(bytes.length);
});

it("an account that is erased during an upload leaves nothing of it", async () => {
  const made = await make.person();
  const person = world.as(made);
  const picture = { ...promise, purpose: "AVATAR", name: "a.png", media_type: "image/png", size: png.length };
  const { body: file } = await person.post("/files/", picture);
  await putBytes(world.deps, file.upload.url, png);
  await world.deps.db.execute(sql`select erase_files_of_person(${made.id}, now())`);
  expect((await person.post(`/files/${file.id}/complete`, {})).status).toBe(404);
  const { rows } = await world.deps.db.execute(sql`select from files where uploaded_by_user_id = ${made.id}`);
  expect(rows).toEqual([]);
});

it("the metrics count files by purpose, ready or rejected, and the store's size, and name no one", async () => {
  const university = await make.university();
  const admin = world.as(await make.holder("university_admin", university.id));
  const scope = { purpose: "IMPORT", university_id: university.id };
  const scrape = async () => {
    await world.deps.metrics.report();
    return (await world.app.request("/metrics")).text();
  };
  const counts = async () => {
    const text = await scrape();
    const of = (sample: string) =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${sample} `))
          ?.split(" ")[1] ?? 0,
      );
    return {
      ready: of('files_uploaded_total{purpose="import",outcome="ready"}'),
      refused: of('files_uploaded_total{purpose="import",outcome="refused"}'),
      bytes: of('files_uploaded_bytes_total{purpose="import"}'),
      stored: of("files_stored_bytes"),
    };
  };
  const before = await counts();
  await sendFile(world.deps, admin, scope, Buffer.from("a,b\r\n"));
  await sendFile(world.deps, admin, scope, png);
  const after = await counts();
  expect({
    ready: after.ready - before.ready,
    refused: after.refused - before.refused,
    bytes: after.bytes - before.bytes,
    stored: after.stored - before.stored,
  }).toEqual({ ready: 1, refused: 1, bytes: 5, stored: 5 });
  const labels = [...(await scrape()).matchAll(/^files_\w+\{([^}]*)\}/gm)].flatMap(([, given = ""]) =>
    given.split(",").map((label) => label.split("=")[0]),
  );
  expect(new Set(labels)).toEqual(new Set(["purpose", "outcome"]));
});

async function whileStore<T>(
  verb: "beginParts" | "take" | "signUpload" | "signDownload",
  failure: Error,
  work: () => Promise<T>,
): Promise<T> {
  const { fileStore } = world.deps;
  const kept = fileStore[verb];
  Object.assign(fileStore, { [verb]: () => Promise.reject(failure) });
  try {
    return await work();
  } finally {
    Object.assign(fileStore, { [verb]: kept });
  }
}

it("an unavailable store at the announcement is a 503, and nothing is announced or counted", async () => {
  const { university, instructor, scope } = await staffed();
  const refused = await whileStore("signUpload", fileStoreUnreachableError(), () =>
    instructor.post("/files/", { ...promise, ...scope }),
  );
  expect([refused.status, refused.body.detail]).toEqual([503, "The file store cannot be reached"]);
  expect(refused.headers.get("retry-after")).toBe("10");
  const { rows } = await world.deps.db.execute(sql`
    select (select count(*)::int from files where university_id = ${university.id}) as files,
      coalesce((select bytes::int from file_usage where university_id = ${university.id}), 0) as bytes`);
  expect(rows).toEqual([{ files: 0, bytes: 0 }]);
});

it("a store that is unavailable or full at completion is a 503, and a later completion continues", async () => {
  const { instructor, scope } = await staffed();
  const { body: file } = await instructor.post("/files/", { ...promise, ...scope });
  await putBytes(world.deps, file.upload.url, bytesOf("abc"));
  const complete = () => instructor.post(`/files/${file.id}/complete`, {});
  const answers = [
    await whileStore("take", fileStoreUnreachableError(), complete),
    await whileStore("take", fileStoreFullError(), complete),
  ];
  expect(answers.map(({ status, body }) => [status, body.detail])).toEqual([
    [503, "The file store cannot be reached"],
    [503, "The file store is full"],
  ]);
  expect((await instructor.get(`/files/${file.id}`)).body.state).toBe("PENDING");
  const { status, body } = await complete();
  expect([status, body.state]).toEqual([200, "READY"]);
  // Objects of earlier attempts are deleted.
  const { rows } = await world.deps.db.execute(sql`
    select count(*)::int as kept from stored_objects
    where going_at is null and id not in (select object_id from files where object_id is not null)`);
  expect(rows).toEqual([{ kept: 0 }]);
  const away = await whileStore("signDownload", fileStoreUnreachableError(), () =>
    instructor.get(`/files/${file.id}/content`),
  );
  expect(away.status).toBe(503);
});
