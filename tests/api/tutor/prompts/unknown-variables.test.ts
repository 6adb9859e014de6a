import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { topicVariables } from "../../../../lib/tutor/prompts/variables.ts";
import { contentTypes } from "../../../../schema/db/courses/content-types.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld({ TUTOR_PROMPT_NAME: "teacher" });
const make = makersOf(world);

const author = async () => world.as(await make.holder("platform_admin", (await make.university()).id));
type Author = Awaited<ReturnType<typeof author>>;

const save = (client: Author, name: string, prompt: string, more: object = {}) =>
  client.post("/prompts/", { name, prompt, ...more });

const versionsOf = async (client: Author, name: string): Promise<number> =>
  (await client.get(`/prompts/${name}/versions`)).body.total ?? 0;

describe("a version of the tutor's prompt with unknown variables", () => {
  it("is a 400 that lists them, for the common prompt and that of each type, and stores nothing", async () => {
    const client = await author();
    await client.post("/content-types", { name: "simulation", label: "Simulation" });
    const types = await world.deps.db.select({ name: contentTypes.name }).from(contentTypes);
    expect(types.map(({ name }) => name)).toContain("simulation");
    for (const name of ["teacher", ...types.map((type) => `teacher-${type.name}`)]) {
      const { status, body, headers } = await save(
        client,
        name,
        "{{title}} {{ titel }} {{x1}} {{titel}} {{Title}}",
      );
      expect([status, body.detail], name).toEqual([
        400,
        expect.stringMatching(
          /^The tutor does not know these variables: titel, x1, Title\. It knows title, /,
        ),
      ]);
      expect([headers.get("x-error-code"), headers.get("x-error-field")]).toEqual([
        "unknown_variables",
        "prompt",
      ]);
      expect(await versionsOf(client, name)).toBe(0);
    }
  });

  it.each([
    "course-title",
    "course.title",
    "course title",
    "1x",
    "ünï",
    "title | upper",
    "#if title",
    "/if",
    "\ttitle\t",
    "\u00a0title",
  ])(
    "is a 400 for a name that no variable has (%j), which the model would receive in braces",
    async (name) => {
      const client = await author();
      const { status, body } = await save(client, "teacher", `Teach {{title}} {{ ${name} }}.`);
      expect(status).toBe(400);
      expect(body.detail).toContain(`variables: ${name}. It knows`);
      const allowed = await save(client, "teacher", `{{${name}}}`, { allow_unknown_variables: true });
      expect(allowed.status).toBe(201);
      expect((await save(client, "mail", `{{${name}}}`)).status).toBe(201);
    },
  );

  it("has other text in double braces", async () => {
    const client = await author();
    const text = String.raw`{{"answer": "B"}} {{a: 1}} x^{{\bf n}} {{1, 2}} f({{g()}}) {{}} {{ }} {{-}} {{ title {{{title}}}`;
    expect((await save(client, "teacher", text)).status).toBe(201);
  });

  it("is saved if the author allows it, and as any other prompt", async () => {
    const client = await author();
    const allowed = { allow_unknown_variables: true };
    const made = await save(client, "teacher", "Teach {{titel}}.", allowed);
    expect(made.status).toBe(201);
    expect(made.body).not.toHaveProperty("allow_unknown_variables");
    expect((await save(client, "teacher", "{{titel}}", { allow_unknown_variables: false })).status).toBe(400);
    for (const name of ["mail", "teachers", "teacher-tone", "tutor", "my-teacher"])
      expect((await save(client, name, "Dear {{name}}.")).status, name).toBe(201);
    expect((await save(client, "teacher", "", { allow_unknown_variables: "no" })).status).toBe(422);
  });

  it("is any with a name that is not known, and none with known names only", async () => {
    const client = await author();
    const known = [...topicVariables, "if_question_tool", "if_question_blocks", "end_if"];
    const name = fc.oneof(fc.constantFrom(...known), fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,12}$/));
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 5 }), async (names) => {
        const text = names.map((one) => `{{${one}}}`).join(" and ");
        const { status, body } = await save(client, "teacher", text);
        const unknown = [...new Set(names.filter((one) => !known.includes(one)))];
        expect(status).toBe(unknown.length > 0 ? 400 : 201);
        if (unknown.length > 0) expect(body.detail).toContain(`variables: ${unknown.join(", ")}. It knows`);
      }),
      { numRuns: 25 },
    );
  });

  it("is one whose references have them, and a part of it that gets them", async () => {
    const client = await author();
    const part = make.unique("part");
    const inner = make.unique("inner");
    const tag = (name: string, label: string) => `@@@refPrompt:name=${name}|label=${label}@@@`;
    await save(client, inner, "Kindly, {{tone}}.", { labels: ["live"] });
    await save(client, part, `Be brief. ${tag(inner, "live")}`, { labels: ["live"] });
    const refused = await save(client, "teacher-video", `Teach {{title}}. ${tag(part, "live")}`);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining("variables: tone.")]);
    await save(client, inner, "Kindly.", { labels: ["live"] });
    expect((await save(client, "teacher-video", `Teach {{title}}. ${tag(part, "live")}`)).status).toBe(201);
    // The label moves with the new version, and the tutor follows it.
    expect((await save(client, inner, "Kindly, {{tone}}.", { labels: ["live"] })).status).toBe(400);
    expect((await save(client, part, "{{length}}", { labels: ["live"] })).status).toBe(400);
    for (const labels of [[], ["draft"]])
      expect((await save(client, inner, "Kindly, {{tone}}.", { labels })).status).toBe(201);
    const allowed = { labels: ["live"], allow_unknown_variables: true };
    expect((await save(client, inner, "Kindly, {{tone}}.", allowed)).status).toBe(201);
  });

  it("with a broken reference has that reference in the refusal", async () => {
    const { body } = await save(
      await author(),
      "teacher",
      "{{title}} @@@refPrompt:name=nowhere|label=live@@@",
    );
    expect(body.detail).toContain("nowhere");
  });
});
