import { describe, expect, it } from "vitest";
import type { Client } from "../../../support/client.ts";
import { openWorld } from "../../../support/world.ts";
import { create, labelsOf, pathOf, promptsIn, refTo, refusal, setLabels } from "./support.ts";

const world = openWorld();
const { unique, admin } = promptsIn(world);

const production = { labels: ["production"] };
const longest = 1_000_000;

const tooLong = (name: string) => [
  400,
  `Prompt reference makes the text longer than ${longest} characters: ${name}`,
];

/** A production prompt of this many characters, each two UTF-16 units. */
async function textOf(client: Client, characters: number): Promise<string> {
  const name = unique("text");
  await create(client, name, "😀".repeat(characters), production);
  return name;
}

/** Nested prompts: each of `levels` repeats the one below `times` times. */
async function doubled(client: Client, leaf: string, levels: number, times: number): Promise<string> {
  let name = leaf;
  for (let level = 0; level < levels; level++) {
    const above = unique(`times-${level}`);
    await create(client, above, refTo(name).repeat(times), production);
    name = above;
  }
  return name;
}

describe("a resolved prompt of a million characters", () => {
  it("is accepted, and read in full; one more character is rejected at its creation", async () => {
    const client = await admin();
    const fifth = await textOf(client, longest / 5);
    const whole = await create(client, unique("whole"), refTo(fifth).repeat(5), production);
    const { body } = await client.get(pathOf(whole.name));
    expect(body.resolved_prompt).toBe("😀".repeat(longest));

    const more = unique("more");
    const reply = await client.post("/prompts/", { name: more, prompt: `${refTo(fifth).repeat(5)}.` });
    expect(refusal(reply)).toEqual(tooLong(more));
    expect((await client.get(`${pathOf(more)}/versions`)).status).toBe(404);
  });

  it("counts repetitions level by level, without assembling the text", async () => {
    const client = await admin();
    const leaf = await textOf(client, 60);
    const large = await doubled(client, leaf, 3, 25);
    expect((await client.get(pathOf(large))).body.resolved_prompt).toHaveLength(2 * 60 * 25 ** 3);
    const name = unique("beyond");
    // It would be 2 800 million characters, above the limit of a string.
    const reply = await client.post("/prompts/", { name, prompt: refTo(large).repeat(3000) });
    expect(refusal(reply)).toEqual(tooLong(name));
    const preview = await client.post("/prompts/preview", { prompt_text: refTo(large).repeat(3000) });
    expect(refusal(preview)).toEqual(tooLong("(preview)"));
  });
});

describe("a change that would make a prompt longer than that, far above", () => {
  /** A tutor with two references, one to a label that may move from a short text to a long one. */
  async function tutorOver(client: Client, label: string) {
    const [part, tutor] = [unique("part"), unique("tutor")];
    await create(client, part, "long ".repeat(30_000));
    await create(client, part, "short", { labels: ["production", "beta"] });
    await create(client, tutor, refTo(part, label).repeat(20), production);
    return { part, tutor, resolved: async () => (await client.get(pathOf(tutor))).body.resolved_prompt };
  }

  it("is a 400 that names the prompt, when a label moves, and the label does not move", async () => {
    const client = await admin();
    const { part, tutor, resolved } = await tutorOver(client, "production");
    expect(refusal(await setLabels(client, part, 1, ["production"]))).toEqual(tooLong(tutor));
    expect(await labelsOf(client, part)).toEqual({ 1: [], 2: ["beta", "latest", "production"] });
    expect(await resolved()).toBe("short".repeat(20));
  });

  it("is one, when a new version would take the label, or latest", async () => {
    const client = await admin();
    for (const label of ["production", "latest"]) {
      const { part, tutor, resolved } = await tutorOver(client, label);
      const next = { name: part, prompt: "longer ".repeat(25_000), ...production };
      expect(refusal(await client.post("/prompts/", next))).toEqual(tooLong(tutor));
      expect(await resolved()).toBe("short".repeat(20));
    }
  });

  it("is a 400, if a deletion would move latest to an older version", async () => {
    const client = await admin();
    const { part, tutor, resolved } = await tutorOver(client, "latest");
    expect(refusal(await client.delete(`${pathOf(part)}/versions/2`))).toEqual(tooLong(tutor));
    expect(await resolved()).toBe("short".repeat(20));
  });

  it("fails during another change that also adds half of it", async () => {
    const client = await admin();
    const [left, right, tutor] = [unique("left"), unique("right"), unique("tutor")];
    for (const name of [left, right]) {
      await create(client, name, "x".repeat(200_000));
      await create(client, name, "short", production);
    }
    await create(client, tutor, refTo(left).repeat(3) + refTo(right).repeat(3), production);
    const replies = await Promise.all(
      [left, right].map((name) => setLabels(client, name, 1, ["production"])),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(refusal(replies.find(({ status }) => status === 400) as never)).toEqual(tooLong(tutor));
  });
});

describe("a deletion that moves latest", () => {
  it("is rejected if a dependent prompt would close a cycle, with the path", async () => {
    const client = await admin();
    const [a, b] = [unique("a"), unique("b")];
    await create(client, b, "plain", production);
    await create(client, a, refTo(b));
    await create(client, a, "plain");
    await create(client, b, refTo(a, "latest"), production);
    expect(refusal(await client.delete(`${pathOf(a)}/versions/2`))).toEqual([
      400,
      `Prompt reference closes a cycle: ${a} -> ${b} -> ${a}`,
    ]);
    expect(await labelsOf(client, a)).toEqual({ 1: [], 2: ["latest"] });
  });
});

describe("a preview", () => {
  const previewOf = (client: Client, prompt_text: string, variables = {}) =>
    client.post("/prompts/preview", { prompt_text, variables });

  it("with references of more than a million characters is a 400", async () => {
    const client = await admin();
    const leaf = await textOf(client, 1000);
    const hundreds = await doubled(client, leaf, 2, 30);
    const whole = await previewOf(client, refTo(hundreds));
    expect(whole.body.rendered_prompt).toBe("😀".repeat(900_000));
    for (const text of [refTo(hundreds).repeat(2), refTo(hundreds) + "x".repeat(100_001)])
      expect(refusal(await previewOf(client, text))).toEqual(tooLong("(preview)"));
  });

  it("with variables that make it that long is a 400, and is never assembled", async () => {
    const client = await admin();
    const value = "y".repeat(100_000);
    const ten = await previewOf(client, "{{ v }}".repeat(10), { v: value });
    expect(ten.body.rendered_prompt).toHaveLength(longest);
    for (const times of [11, 25_000])
      expect(refusal(await previewOf(client, "{{ v }}".repeat(times), { v: value }))).toEqual([
        400,
        "The prompt with its variables is longer than 1000000 characters",
      ]);
  });
});
