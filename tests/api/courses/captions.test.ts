import { describe, expect, it } from "vitest";
import { captionSamples } from "../../../app/src/samples/captions.ts";
import { makersOf } from "../../support/makers.ts";
import { sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function author() {
  const university = await make.university();
  const course = await make.course(university.id);
  const client = world.as(await make.holder("instructor", university.id));
  const read = (text: string) =>
    client.post("/content/captions", {
      ...{ course_id: course.id, name: "film.vtt" },
      captions: Buffer.from(text).toString("base64"),
    });
  return { university, course, client, read };
}

describe("captions of a film", () => {
  it.each(captionSamples.map((one) => [one.format, one] as const))(
    "are read from the sample in %s, as a transcript",
    async (_, { content }) => {
      const { status, body } = await (await author()).read(content);
      expect([status, body.segments]).toEqual([
        200,
        [
          { start: 1, end: 4, text: "Welcome to the course." },
          { start: 4.5, end: 8, text: "Today we talk about waves." },
        ],
      ]);
    },
  );

  it("are refused with the file and the line", async () => {
    const { read } = await author();
    const { status, body } = await read("WEBVTT\n\n00:01.000 -> 00:02.000\nA");
    expect([status, body.detail]).toEqual([
      400,
      "film.vtt, line 3: a time such as 00:01:02.500 --> 00:01:04.000 is expected",
    ]);
  });

  it("may be an upload, and one that is too large is refused before it is read", async () => {
    const { client, course } = await author();
    const upload = async (text: string) => {
      const { body } = await sendFile(
        world.deps,
        client,
        { purpose: "IMPORT", course_id: course.id, name: "long.srt", media_type: "text/plain" },
        Buffer.from(text),
      );
      return client.post("/content/captions", { course_id: course.id, file_id: body.id });
    };
    const cue = "1\n00:00:01,000 --> 00:00:02,000\nHello\n\n";
    expect((await upload(cue)).body.segments).toEqual([{ start: 1, end: 2, text: "Hello" }]);
    const { status, body } = await upload(cue.repeat(60_000));
    expect([status, body.detail]).toEqual([
      400,
      "long.srt, line 205130: captions can have at most 2000 KiB and 5000 lines of speech",
    ]);
  });

  it("need the right to write content there", async () => {
    const { course, university } = await author();
    const body = { course_id: course.id, captions: Buffer.from("WEBVTT").toString("base64") };
    for (const role of ["ta", "student"] as const)
      expect(
        (await world.as(await make.holder(role, university.id)).post("/content/captions", body)).status,
      ).toBe(403);
  });
});
