import { beforeAll, describe, expect, it } from "vitest";
import { courseSubjects } from "../../../schema/db/courses/courses.ts";
import { subjects } from "../../../schema/db/courses/subjects.ts";
import type { Client } from "../../support/client.ts";
import { makersOf } from "../../support/makers.ts";
import { png, sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Thing = { id: number };

let university: Thing;
let instructor: Client;
const tree: Record<string, number> = {};
const courses: Record<string, number> = {};

async function addSubject(name: string, above?: string) {
  const parent_subject_id = above === undefined ? null : (tree[above] ?? 0);
  const [row] = await world.deps.db
    .insert(subjects)
    .values({ name, code: make.unique("S"), parent_subject_id })
    .returning();
  tree[name] = row?.id ?? 0;
}

beforeAll(async () => {
  university = await make.university();
  instructor = world.as(await make.holder("instructor", university.id));
  await addSubject("engineering");
  await addSubject("signals", "engineering");
  await addSubject("filters", "signals");
  await addSubject("arts");
  const add = async (name: string, fields: object) => {
    const { id } = await make.course(university.id, { code: name, title: `The course ${name}`, ...fields });
    courses[name] = id;
    await make.offering({ id, university_id: university.id });
  };
  await add("dsp", { language_code: "en-GB", level: "GRADUATE", credit_hours: 6 });
  await add("filters", { primary_subject_id: tree["filters"] ?? 0, language_code: "EN", credit_hours: 4.5 });
  await add("painting", { primary_subject_id: tree["arts"] ?? 0, language_code: "de" });
  await world.deps.db
    .insert(courseSubjects)
    .values({ course_id: courses["dsp"] ?? 0, subject_id: tree["signals"] ?? 0 });
});

const nameOf = (course: number) => Object.keys(courses).find((name) => courses[name] === course);

describe.each([
  ["courses", "/courses/", (one: { id: number }) => one.id],
  ["offerings", "/offerings/", (one: { course_id: number }) => one.course_id],
] as const)("%s", (_, path, courseOf) => {
  const found = async (query: string) => {
    const { status, body } = await world.as().get(`${path}?university_id=${university.id}&${query}`);
    return status === 200 ? body.map((one: never) => nameOf(courseOf(one))) : status;
  };

  it("are filtered by a subject or any subject below it, once each", async () => {
    expect(await found(`subject_id=${tree["engineering"]}`)).toEqual(["dsp", "filters"]);
    expect(await found(`subject_id=${tree["signals"]}`)).toEqual(["dsp", "filters"]);
    expect(await found(`subject_id=${tree["filters"]}`)).toEqual(["filters"]);
    expect(await found(`subject_id=${tree["arts"]}`)).toEqual(["painting"]);
    expect(await found("subject_id=2147483647")).toEqual([]);
  });

  it("are filtered by language with its variants, by level and by credits", async () => {
    expect(await found("language_code=en")).toEqual(["dsp", "filters"]);
    expect(await found("language_code=en-gb")).toEqual(["dsp"]);
    expect(await found("language_code=de")).toEqual(["painting"]);
    expect(await found("level=graduate")).toEqual(["dsp"]);
    expect(await found("credits_from=4.5&credits_to=5")).toEqual(["filters"]);
    expect(await found("credits_from=5&q=course")).toEqual(["dsp"]);
    expect(await found("credits_from=many")).toBe(422);
    expect(await found("language_code=")).toBe(422);
  });

  it("continue after a page of the filtered ones", async () => {
    const first = await world.as().get(`${path}?language_code=en&limit=1&university_id=${university.id}`);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("Link") ?? "")?.[1];
    expect(next).toBeDefined();
    const { body } = await world.as().get(new URL(next ?? "", "http://x").href.split("/api/v1")[1] ?? "");
    expect(body.map((one: never) => nameOf(courseOf(one)))).toEqual(["filters"]);
  });
});

it("an offering's list entry has the course's subject, language, level and credits", async () => {
  const { body } = await world.as().get(`/offerings/?course_id=${courses["dsp"]}`);
  expect(body[0].course).toEqual({
    title: "The course dsp",
    code: "dsp",
    department_id: null,
    description: null,
    level: "GRADUATE",
    language_code: "en-GB",
    credit_hours: 6,
    picture_file_id: null,
  });
});

describe("the picture of a course", () => {
  const send = async (client: Client, fields: object = {}, bytes: Uint8Array = png) => {
    const scope = { purpose: "ASSET", university_id: university.id, name: "p.png", media_type: "image/png" };
    return (await sendFile(world.deps, client, { ...scope, ...fields }, bytes)).body.id as number;
  };
  const isReadBy = async (client: Client, id: number) =>
    (await client.post("/files/addresses", { ids: [id], inline: true })).body.length === 1;

  it("is set by authors, and read by everyone who may see the course", async () => {
    const picture = await send(instructor);
    expect(await isReadBy(world.as(), picture)).toBe(false);
    const created = await instructor.post("/courses/", {
      title: "Seen",
      code: "SEEN",
      university_id: university.id,
      picture_file_id: picture,
    });
    expect([created.status, created.body.picture_file_id]).toEqual([201, picture]);
    const one = `/courses/${created.body.id}`;
    expect(await isReadBy(world.as(), picture)).toBe(false);
    const shown = await instructor.put(one, { is_published: true });
    expect([shown.status, shown.body.picture_file_id]).toEqual([200, picture]);
    expect((await world.as().get(one)).body.picture_file_id).toBe(picture);
    expect(await isReadBy(world.as(), picture)).toBe(true);
    expect((await instructor.delete(`/files/${picture}`)).status).toBe(400);

    const copy = await instructor.post(`${one}/copy`, { is_published: true });
    expect(copy.body.picture_file_id).toBe(picture);
    const version = (await instructor.get(one)).body.version;
    const removed = await instructor.put(one, { picture_file_id: null });
    expect(removed.body).toMatchObject({ picture_file_id: null, version: version + 1 });
    expect(await isReadBy(world.as(), picture)).toBe(true);
    expect((await instructor.get(`/courses/${copy.body.id}`)).body.picture_file_id).toBe(picture);
  });

  it("is a picture of the university that the writer may put there, or no such file", async () => {
    const elsewhere = await make.university();
    const stranger = world.as(await make.holder("instructor", elsewhere.id));
    const theirs = await send(stranger, { university_id: elsewhere.id });
    const text = await send(
      instructor,
      { name: "t.txt", media_type: "text/plain" },
      Buffer.from("No picture."),
    );
    const one = `/courses/${courses["painting"]}`;
    for (const id of [theirs, text, 987_654_321]) {
      const { status, body } = await instructor.put(one, { picture_file_id: id, title: "Not written" });
      expect([status, body.detail]).toEqual([400, `File ${id} does not exist`]);
    }
    expect((await instructor.get(one)).body.title).toBe("The course painting");
    const learner = world.as(await make.person());
    expect((await learner.put(one, { picture_file_id: theirs })).status).toBe(403);
  });

  it("is one of two that authors set concurrently", async () => {
    const both = await Promise.all([send(instructor), send(instructor)]);
    const answers = await Promise.all(
      both.map((id) => instructor.put(`/courses/${courses["filters"]}`, { picture_file_id: id })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { picture_file_id } = (await instructor.get(`/courses/${courses["filters"]}`)).body;
    expect(both).toContain(picture_file_id);
  });
});
