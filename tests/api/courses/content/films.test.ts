import { beforeAll, expect, it } from "vitest";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { png, sendFile } from "../../../support/send-file.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let teacher: Client;
let film: { id: number };
let course: Awaited<ReturnType<typeof make.course>>;
let university: { id: number };

beforeAll(async () => {
  university = await make.university();
  course = await make.course(university.id);
  film = await make.contentItem(await make.module(course.id), university.id, { type: "video" });
  teacher = world.as(await make.holder("instructor", university.id));
});

const bytes = (text: string) => Buffer.from(text, "latin1");

/** Files that all claim to be films; their bytes say what they are. */
const films = {
  "video/mp4": bytes("\0\0\0\x18ftypisom\0\0\x02\0isommp41"),
  "video/webm": bytes("\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm"),
  "audio/mpeg": bytes(`ID3\x03\0\0\0\0\0\0${"\xff\xfb\x90\x64".padEnd(417, "\0").repeat(3)}`),
  "audio/wav": bytes("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0"),
};
const others = {
  "text/plain": bytes("no film"),
  "application/pdf": bytes("%PDF-1.7\n"),
  "image/png": Buffer.from(png),
  "application/zip": bytes("PK\x03\x04\x14\0\0\0\0\0"),
};

async function send(content: Uint8Array): Promise<{ id: number; media_type: string }> {
  const fields = { purpose: "ASSET", course_id: course.id, name: "film.mp4", media_type: "video/mp4" };
  return (await sendFile(world.deps, teacher, fields, content)).body;
}

const put = (data_json: object) => teacher.put(`/content/${film.id}`, { data_json });

it.each(Object.entries(films))("a file of the service is a film as %s", async (kind, content) => {
  const { id, media_type } = await send(content);
  expect(media_type).toBe(kind);
  expect((await put({ provider: "internal", file_id: id })).status).toBe(200);
});

it.each(Object.entries(others))("a file is no film as %s, whatever its name says", async (kind, content) => {
  const { id, media_type } = await send(content);
  expect(media_type).toBe(kind);
  const { body: asset } = await teacher.post("/assets/", {
    ...{ asset_type: "video", university_id: university.id, file_id: id },
  });
  for (const data of [{ provider: "internal", file_id: id }, { asset_id: asset.id }]) {
    const refused = await put(data);
    expect([refused.status, refused.headers.get("x-error-code"), refused.body.detail]).toEqual([
      ...[400, "file_not_a_film", `A film must be audio or video, and this is ${kind}`],
    ]);
  }
});

it("an asset with an address is a film", async () => {
  const { body: asset } = await teacher.post("/assets/", {
    ...{ asset_type: "video", university_id: university.id, url: "https://video.example.edu/1" },
  });
  expect((await put({ asset_id: asset.id })).status).toBe(200);
});
