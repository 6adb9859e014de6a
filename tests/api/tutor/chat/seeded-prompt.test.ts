import { describe, expect, it } from "vitest";
import { findVariableNames } from "../../../../lib/tutor/prompts/render.ts";
import { contentTypes } from "../../../../schema/db/courses/content-types.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

const admin = async () => world.as(await make.holder("platform_admin", (await make.university()).id));
const systems = () => world.llm.requests.map(({ system }) => system ?? "");

/** A learner's conversation about an item of this type, and the prompt of its greeting. */
async function greeted(type: string) {
  const university = await make.university();
  const course = await make.course(university.id, { level: "GRADUATE", language_code: "de" });
  const module = await make.module(course.id);
  const item = await make.contentItem(module, university.id, { type, title: "Waves", description: null });
  const session = await openSession(world.as(await make.person()), item.id);
  await session.say("Start.");
  return { item, course, session, system: systems().at(-1) ?? "" };
}

describe("the prompt of a new installation's tutor", () => {
  it("is the newest of its versions, and labelled production", async () => {
    const { body } = await (await admin()).get("/prompts/tutor");
    expect(body.labels).toEqual(["latest", "production"]);
    expect(body.prompt).toContain("```key");
    expect(findVariableNames(body.prompt)).toEqual(
      expect.arrayContaining(["tutor_notes", "course_notes", "level", "language"]),
    );
    expect(body.prompt.length).toBeLessThan(6500);
  });

  it("has no open placeholder for any content type, and contains level and language", async () => {
    const types = await world.deps.db.select({ name: contentTypes.name }).from(contentTypes);
    expect(types.length).toBeGreaterThanOrEqual(6);
    for (const { name } of types) {
      const { system } = await greeted(name);
      expect(system, name).not.toMatch(/\{\{|\}\}|@@@|undefined|null/);
      expect(system, name).toContain(`- Topic: "Waves" (${name})`);
      expect(system, name).toContain("- Level of the course: graduate");
      expect(system, name).toContain("Write in the course's language (de)");
    }
  });

  it("makes its tutor write a key, which the model sees and the learner does not", async () => {
    world.llm.script({
      chunks: [
        'Welcome.\n\n```mcq\n{"questionId":"q1","question":"Which?","options":[{"id":"A","text":"One"},{"id":"B","text":"Two"}]}\n```\n',
        '```key\n{"answer": "B", "misconceptions": [{"id": "A", "text": "Counts from one"}], "skill": "Counting"}\n```',
      ],
    });
    const { session } = await greeted("text");
    const { messages } = await session.read();
    expect(JSON.stringify(messages)).not.toContain("Counts from one");
    expect(messages[1].question).toMatchObject({ questionId: "q1" });
    await session.say(answerTo("q1", "A"));
    expect(world.llm.requests.at(-1)?.messages[1]?.content).toContain("Counts from one");
  });
});
