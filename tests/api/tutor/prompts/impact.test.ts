import { describe, expect, it } from "vitest";
import { openWorld } from "../../../support/world.ts";
import { openSession } from "../chat/support.ts";
import { create, pathOf, promptsIn, refTo, refusal, setLabels } from "./support.ts";

const world = openWorld();
const { make, unique, admin } = promptsIn(world);

const production = { labels: ["production"] };

describe("the impact of moving a label", () => {
  it("names the prompts that follow it, and the tutors, courses and stored answers behind them", async () => {
    const client = await admin();
    const [tone, style] = [unique("tone"), unique("style")];
    const first = await create(client, tone, "warm", production);
    await create(client, tone, "cold");
    const middle = await create(client, style, refTo(tone), production);
    const tutor = await create(client, "tutor-video", `Teach {{title}}, ${refTo(style)}`, production);
    await create(client, unique("apart"), refTo(tone, first.version));

    const { university, course, module, item } = await make.topic();
    const video = await make.contentItem(module, university.id, { type: "video" });
    for (const topic of [item, video]) {
      const session = await openSession(world.as(await make.person()), topic.id);
      await session.say("Start.");
    }

    const path = `${pathOf(tone)}/impact?label=production&version=2`;
    const impact = await client.get(path);
    expect([impact.status, impact.body]).toEqual([
      200,
      {
        prompts: [
          { id: middle.id, name: style, version: 1, labels: ["latest", "production"] },
          { id: tutor.id, name: "tutor-video", version: 1, labels: ["latest", "production"] },
        ].sort((one, two) => (one.name < two.name ? -1 : 1)),
        content_types: [{ id: expect.any(Number), name: "video", label: "Video" }],
        courses: [{ id: course.id, title: course.title, code: course.code, university_id: university.id }],
        courses_total: 1,
        cold_cache_nodes: 1,
      },
    ]);
    expect((await client.get(`${path}&skip=1`)).body).toMatchObject({ courses: [], courses_total: 1 });

    await setLabels(client, tone, 2, ["production"]);
    expect((await client.get(path)).body).toEqual({
      prompts: [],
      content_types: [],
      courses: [],
      courses_total: 0,
      cold_cache_nodes: 0,
    });
  });

  it("is none on tutors with an unchanged text", async () => {
    const client = await admin();
    const tone = unique("tone");
    await create(client, tone, "warm", production);
    await create(client, tone, "warm");
    await create(client, "tutor-lab", refTo(tone), production);
    const { body } = await client.get(`${pathOf(tone)}/impact?label=production&version=2`);
    expect(body).toMatchObject({ prompts: [{ name: "tutor-lab" }], content_types: [] });
  });

  it("of the tutor's own production label affects all types without a separate tutor", async () => {
    const client = await admin();
    const { version } = await create(client, "tutor", "Another tutor");
    await create(client, "tutor-quiz", "Ask", production);
    const typesAt = async (path: string) =>
      (await client.get(path)).body.content_types.map(({ name }: { name: string }) => name);
    const general = await typesAt(`/prompts/tutor/impact?label=production&version=${version}`);
    expect(general).toEqual(expect.arrayContaining(["text", "assignment"]));
    expect(general).not.toContain("quiz");
    await create(client, "tutor-text", "Read");
    expect(await typesAt("/prompts/tutor-text/impact?label=production&version=1")).toEqual(["text"]);
    expect(await typesAt("/prompts/tutor-text/impact?label=other&version=1")).toEqual([]);
  });

  it("shows an instructor the courses that they may see", async () => {
    const { university } = await make.topic({ is_published: false });
    const own = world.as(await make.holder("instructor", university.id));
    const stranger = world.as(await make.holder("instructor", (await make.university()).id));
    const { version } = await create(await admin(), "tutor", "Yet another tutor");
    const impact = `/prompts/tutor/impact?label=production&version=${version}&limit=1000`;
    const universitiesFor = async (client: typeof own) =>
      (await client.get(impact)).body.courses.map(
        ({ university_id }: { university_id: number }) => university_id,
      );
    expect(await universitiesFor(own)).toContain(university.id);
    expect(await universitiesFor(stranger)).not.toContain(university.id);
  });

  it("needs a label and an existing version", async () => {
    const client = await admin();
    expect((await client.get("/prompts/tutor/impact")).body.detail).toHaveLength(2);
    expect(refusal(await client.get("/prompts/tutor/impact?label=production&version=99"))).toEqual([
      404,
      "Prompt version not found",
    ]);
  });
});
