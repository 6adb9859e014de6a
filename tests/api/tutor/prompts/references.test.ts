import { describe, expect, it } from "vitest";
import { promptDependencies } from "../../../../schema/db/tutor/prompts.ts";
import type { Client } from "../../../support/client.ts";
import { openWorld } from "../../../support/world.ts";
import { create, labelsOf, pathOf, promptsIn, refTo, refusal, setLabels } from "./support.ts";

const world = openWorld();
const { unique, instructor, admin } = promptsIn(world);

const production = { labels: ["production"] };

/** Production prompts that each reference the next, in order of names. */
async function chainOf(client: Client, length: number): Promise<string[]> {
  const names = Array.from({ length }, (_, at) => unique(`level-${at}`));
  for (const [at, name] of [...names.entries()].reverse()) {
    const next = names[at + 1];
    await create(client, name, next ? `${at} ${refTo(next)}` : "end", production);
  }
  return names;
}

describe("a prompt with references", () => {
  it("is read with all of them inlined, and with the graph of its references", async () => {
    const client = await admin();
    const [tone, safety, root] = [unique("tone"), unique("safety"), unique("root")];
    const toneV1 = await create(client, tone, "warm", production);
    await create(client, tone, "cold");
    const safetyV1 = await create(client, safety, `safe, ${refTo(tone, 1)}`, { labels: ["live"] });
    const text = `Be ${refTo(tone)}; ${refTo(safety, "live")}; ${refTo(tone)} {{x}}`;
    const made = await create(client, root, text, production);
    expect((await client.get(pathOf(root))).body).toEqual({
      ...made,
      dependencies: [
        { child_name: tone, child_version: null, child_label: "production" },
        { child_name: safety, child_version: null, child_label: "live" },
      ],
      resolved_prompt: "Be warm; safe, warm; warm {{x}}",
      resolution_graph: {
        root: { id: made.id, name: root, version: 1 },
        dependencies: {
          [made.id]: [
            { id: toneV1.id, name: tone, version: 1 },
            { id: safetyV1.id, name: safety, version: 1 },
          ],
          [safetyV1.id]: [{ id: toneV1.id, name: tone, version: 1 }],
        },
      },
    });
  });

  it("without any has an empty graph, and an invalid tag is text", async () => {
    const client = await admin();
    const name = unique("p");
    const text = "@@@refPrompt:label=a|name=b@@@ @@@refPrompt:name=b@@@ $& {{x}}";
    const made = await create(client, name, text, production);
    expect((await client.get(pathOf(name))).body).toMatchObject({
      dependencies: [],
      resolved_prompt: text,
      resolution_graph: { root: { id: made.id, name, version: 1 }, dependencies: {} },
    });
  });

  it("follows a label that moves", async () => {
    const client = await admin();
    const [tone, root] = [unique("tone"), unique("root")];
    await create(client, tone, "warm", production);
    await create(client, root, refTo(tone), production);
    await create(client, tone, "cold", production);
    expect((await client.get(pathOf(root))).body.resolved_prompt).toBe("cold");
  });

  it("that is broken all the same is a 400 on reading, with the chain", async () => {
    const client = await admin();
    const [outer, inner] = [unique("outer"), unique("inner")];
    const made = await create(client, inner, "x", production);
    await create(client, outer, refTo(inner), production);
    const lost = { child_name: "lost", child_version: 3 };
    await world.deps.db.insert(promptDependencies).values({ prompt_id: made.id, position: 1, ...lost });
    await world.deps.db.execute(`update prompts set prompt = '${refTo("lost", 3)}' where id = ${made.id}`);
    expect(refusal(await client.get(pathOf(outer)))).toEqual([
      400,
      `Prompt reference is missing: ${outer} -> ${inner} -> lost (version 3)`,
    ]);
  });
});

describe("creating rejects", () => {
  it("a missing reference, directly or further down", async () => {
    const client = await admin();
    const [name, tone] = [unique("p"), unique("tone")];
    await create(client, tone, "warm");
    for (const [tag, missing] of [
      [refTo(tone), `${tone} (label production)`],
      [refTo(tone, 2), `${tone} (version 2)`],
      [refTo("x".repeat(255), 1), `${"x".repeat(255)} (version 1)`],
    ] as const)
      expect(refusal(await client.post("/prompts/", { name, prompt: `a ${tag}` }))).toEqual([
        400,
        `Prompt reference is missing: ${name} -> ${missing}`,
      ]);
    expect((await client.get(`${pathOf(name)}/versions`)).status).toBe(404);
  });

  it("a reference to its own name, by any version or label", async () => {
    const client = await admin();
    const name = unique("p");
    await create(client, name, "one", production);
    for (const target of ["production", 1] as const)
      expect(refusal(await client.post("/prompts/", { name, prompt: `${refTo(name, target)}` }))).toEqual([
        400,
        `A prompt cannot reference its own name: ${name} -> ${name}`,
      ]);
    expect(await labelsOf(client, name)).toEqual({ 1: ["latest", "production"] });
  });

  it("the sixth level, and takes the fifth", async () => {
    const client = await admin();
    const chain = await chainOf(client, 6);
    expect((await client.get(pathOf(chain[0] ?? ""))).body.resolved_prompt).toBe("0 1 2 3 4 end");
    const name = unique("deep");
    const refused = await client.post("/prompts/", { name, prompt: refTo(chain[0] ?? "") });
    expect(refusal(refused)).toEqual([
      400,
      `Prompt reference is more than 5 levels deep: ${[name, ...chain].join(" -> ")}`,
    ]);
  });

  it("a new latest version that would close a cycle, or take another prompt too deep", async () => {
    const client = await admin();
    const [a, b] = [unique("a"), unique("b")];
    await create(client, b, "end", production);
    await create(client, a, refTo(b, "latest"), production);
    expect(refusal(await client.post("/prompts/", { name: b, prompt: refTo(a) }))).toEqual([
      400,
      `Prompt reference closes a cycle: ${b} -> ${a} -> ${b}`,
    ]);
    const chain = await chainOf(client, 5);
    const refused = await client.post("/prompts/", { name: b, prompt: refTo(chain[0] ?? "") });
    expect(refusal(refused)).toEqual([400, expect.stringContaining(`levels deep: ${a} -> ${b} -> `)]);
    expect(await labelsOf(client, b)).toEqual({ 1: ["latest", "production"] });
  });
});

describe("moving a label rejects", () => {
  it("to close a cycle, with the path", async () => {
    const client = await admin();
    const [a, b] = [unique("a"), unique("b")];
    await create(client, a, "end", production);
    await create(client, b, `b ${refTo(a)}`, production);
    await create(client, a, `a ${refTo(b)}`);
    const refused = await setLabels(client, a, 2, ["production"]);
    expect(refusal(refused)).toEqual([400, `Prompt reference closes a cycle: ${b} -> ${a} -> ${b}`]);
    expect(await labelsOf(client, a)).toEqual({ 1: ["production"], 2: ["latest"] });
    expect((await client.get(`${pathOf(a)}?version=2`)).body.resolved_prompt).toBe("a b end");
  });

  it("to take a prompt that follows it too deep", async () => {
    const client = await admin();
    const chain = await chainOf(client, 5);
    const [top, middle] = [unique("top"), unique("middle")];
    await create(client, middle, "short", production);
    await create(client, top, refTo(middle), production);
    await create(client, middle, refTo(chain[0] ?? ""));
    const refused = await setLabels(client, middle, 2, ["production"]);
    expect(refusal(refused)).toEqual([
      400,
      `Prompt reference is more than 5 levels deep: ${[top, middle, ...chain].join(" -> ")}`,
    ]);
  });

  it("to leave a prompt that follows it without: taking a label off is a move", async () => {
    const client = await admin();
    const [tone, root] = [unique("tone"), unique("root")];
    await create(client, tone, "warm", { labels: ["live", "other"] });
    await create(client, root, refTo(tone, "live"), production);
    expect(refusal(await setLabels(client, tone, 1, ["other"]))).toEqual([
      400,
      `Prompt reference is missing: ${root} -> ${tone} (label live)`,
    ]);
    expect((await setLabels(client, tone, 1, ["live"])).status).toBe(200);
  });

  it("nothing to prompts that it does not touch, broken ones included", async () => {
    const client = await admin();
    const [tone, root] = [unique("tone"), unique("root")];
    const first = await create(client, tone, "warm", production);
    const broken = await create(client, root, `${refTo(tone)}`, production);
    await world.deps.db
      .insert(promptDependencies)
      .values({ prompt_id: broken.id, position: 9, child_name: "lost", child_version: 1 });
    await create(client, tone, "cold", production);
    expect((await setLabels(client, tone, first.version, ["production"])).status).toBe(200);
  });
});

describe("deleting", () => {
  it("a version moves latest to the newest that remains, and its number is not given again", async () => {
    const client = await admin();
    const name = unique("p");
    for (const text of ["one", "two", "three"]) await create(client, name, text);
    expect((await client.delete(`${pathOf(name)}/versions/3`)).status).toBe(204);
    expect(await labelsOf(client, name)).toEqual({ 1: [], 2: ["latest"] });
    expect((await client.delete(`${pathOf(name)}/versions/1`)).status).toBe(204);
    expect(await labelsOf(client, name)).toEqual({ 2: ["latest"] });
    expect((await create(client, name, "four")).version).toBe(4);
  });

  it("the last version deletes the name", async () => {
    const client = await admin();
    const name = unique("p");
    await create(client, name, "one", { labels: ["production"] });
    expect((await client.delete(`${pathOf(name)}/versions/1`)).status).toBe(204);
    expect((await client.get(`/prompts/?name=${name}`)).body.total).toBe(0);
    expect((await create(client, name, "again")).version).toBe(1);
  });

  it("a version is rejected while another prompt depends on it, or on a label that it carries", async () => {
    const client = await admin();
    const [tone, x, y] = [unique("tone"), unique("x"), unique("y")];
    await create(client, tone, "one", production);
    await create(client, tone, "two");
    await create(client, tone, "three");
    await create(client, x, `${refTo(tone)}`);
    await create(client, y, `${refTo(tone, 2)} ${refTo(tone, "latest")}`);
    const remove = (version: number) => client.delete(`${pathOf(tone)}/versions/${version}`);
    expect(refusal(await remove(1))).toEqual([400, `Prompt is still referenced by ${x} (version 1)`]);
    expect(refusal(await remove(2))).toEqual([400, `Prompt is still referenced by ${y} (version 1)`]);
    expect((await remove(3)).status).toBe(204);
    expect(await labelsOf(client, tone)).toEqual({ 1: ["production"], 2: ["latest"] });
  });

  it("a name is rejected while another prompt depends on any of it, and names them all", async () => {
    const client = await admin();
    const [tone, x, y] = [unique("tone"), unique("x"), unique("y")];
    await create(client, tone, "one", production);
    await create(client, x, refTo(tone, 1));
    await create(client, x, "no more");
    await create(client, y, refTo(tone, "latest"));
    expect(refusal(await client.delete(pathOf(tone)))).toEqual([
      400,
      `Prompt is still referenced by ${x} (version 1), ${y} (version 1)`,
    ]);
    expect((await client.delete(pathOf(x))).status).toBe(204);
    expect((await client.delete(pathOf(y))).status).toBe(204);
    expect((await client.delete(pathOf(tone))).status).toBe(204);
    expect(refusal(await client.get(`${pathOf(tone)}/versions`))).toEqual([404, "Prompt not found"]);
  });

  it("a missing version is a 404", async () => {
    const client = await admin();
    expect(refusal(await client.delete("/prompts/nothing"))).toEqual([404, "Prompt not found"]);
    expect(refusal(await client.delete("/prompts/tutor/versions/99"))).toEqual([
      404,
      "Prompt version not found",
    ]);
    expect((await client.delete("/prompts/tutor/versions/0")).status).toBe(422);
  });
});

describe("previewing", () => {
  it("inlines references, replaces variables, and leaves the rest unchanged", async () => {
    const client = await admin();
    const tone = unique("tone");
    await create(client, tone, "{{mode}}, {{a}} and {{missing}}", production);
    const preview = await (await instructor()).post("/prompts/preview", {
      prompt_text: `{{ b }} {{a}} ${refTo(tone)} {{none}} {{a-b}}`,
      variables: { a: "{{b}} $& $1", b: refTo(tone), mode: { calm: true }, none: null, n: 1 },
    });
    expect([preview.status, preview.body]).toEqual([
      200,
      {
        rendered_prompt: `${refTo(tone)} {{b}} $& $1 {"calm":true}, {{b}} $& $1 and {{missing}} {{none}} {{a-b}}`,
        variables_used: ["b", "a", "mode", "missing", "none"],
        dependencies_found: [{ child_name: tone, child_version: null, child_label: "production" }],
      },
    ]);
  });

  it("counts levels from the text, and rejects broken references, with the chain", async () => {
    const client = await admin();
    const chain = await chainOf(client, 6);
    const preview = (text: string) => client.post("/prompts/preview", { prompt_text: text });
    expect((await preview(refTo(chain[1] ?? ""))).body.rendered_prompt).toBe("1 2 3 4 end");
    expect(refusal(await preview(refTo(chain[0] ?? "")))).toEqual([
      400,
      `Prompt reference is more than 5 levels deep: ${["(preview)", ...chain].join(" -> ")}`,
    ]);
    expect(refusal(await preview(refTo("lost", 2)))).toEqual([
      400,
      "Prompt reference is missing: (preview) -> lost (version 2)",
    ]);
    expect((await preview("")).body.rendered_prompt).toBe("");
    expect((await client.post("/prompts/preview", { variables: {} })).status).toBe(422);
  });
});
