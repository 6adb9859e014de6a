import { describe, expect, it } from "vitest";
import { openWorld } from "../../../support/world.ts";
import { create, labelsOf, pathOf, promptsIn, refTo, refusal } from "./support.ts";

const world = openWorld();
const { make, unique, holder, instructor, admin } = promptsIn(world);

describe("creating", () => {
  it("returns the first version, which carries latest, with the given fields", async () => {
    const author = await make.holder("instructor", (await make.university()).id);
    const name = unique("greeting");
    const body = {
      name: ` ${name} `,
      prompt: "Hello {{name}}",
      config: { temperature: 0.2 },
      labels: ["staging", "b-1.x_y", "staging"],
      tags: ["warm", "Ü", "warm"],
      commit_message: "First words",
    };
    const made = await world.as(author).post("/prompts/", body);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      ...body,
      name,
      version: 1,
      type: "text",
      labels: ["b-1.x_y", "latest", "staging"],
      tags: ["warm", "Ü"],
      created_by: String(author.id),
    });
  });

  it("fills absent fields, and counts the versions", async () => {
    const client = await instructor();
    const name = unique("plain");
    expect(await create(client, name, "one")).toMatchObject({
      version: 1,
      config: {},
      labels: ["latest"],
      tags: [],
      commit_message: null,
    });
    expect(await create(client, name, "two", { type: "TEXT" })).toMatchObject({ version: 2, type: "text" });
    expect(await labelsOf(client, name)).toEqual({ 1: [], 2: ["latest"] });
  });

  it("gives tags to all versions; without any the new version takes the name's", async () => {
    const client = await instructor();
    const name = unique("tagged");
    const tagsOf = async (version: number) =>
      (await client.get(`${pathOf(name)}?version=${version}`)).body.tags;
    await create(client, name, "one", { tags: ["a"] });
    expect((await create(client, name, "two")).tags).toEqual(["a"]);
    expect((await create(client, name, "three", { tags: ["b", "c"] })).tags).toEqual(["b", "c"]);
    expect(await tagsOf(1)).toEqual(["b", "c"]);
    await create(client, name, "four", { tags: [] });
    expect(await tagsOf(2)).toEqual([]);
  });

  it.each([
    ["blank", "  "],
    ["reserved", "names"],
    ["reserved", "preview"],
    ["a dot", ".."],
    ["with a bar", "a|b"],
    ["with a tag's end", "a@@@b"],
    ["with HTML", "a<b>c"],
    ["with a control character", "a\u0007b"],
    ["beginning with a slash", "/a"],
    ["ending with a slash", "a/"],
    ["with a doubled slash", "a//b"],
    ["too long", "x".repeat(256)],
  ])("a name that is %s is a 422 (%j)", async (_, name) => {
    const refused = await (await instructor()).post("/prompts/", { name, prompt: "x" });
    expect([refused.status, refused.body.detail?.[0]?.loc]).toEqual([422, ["body", "name"]]);
  });

  it.each([
    [{ prompt: "" }, ["body", "prompt"]],
    [{ prompt: "x".repeat(200_001) }, ["body", "prompt"]],
    [{ prompt: null }, ["body", "prompt"]],
    [{ labels: ["Production"] }, ["body", "labels", 0]],
    [{ labels: ["ok", ""] }, ["body", "labels", 1]],
    [{ labels: ["x".repeat(37)] }, ["body", "labels", 0]],
    [{ tags: ["x".repeat(65)] }, ["body", "tags", 0]],
    [{ commit_message: "x".repeat(501) }, ["body", "commit_message"]],
    [{ config: [] }, ["body", "config"]],
    [{ type: "chat" }, ["body", "type"]],
  ])("%j is a 422", async (fault, loc) => {
    const refused = await (await instructor()).post("/prompts/", {
      name: unique("x"),
      prompt: "x",
      ...fault,
    });
    expect([refused.status, refused.body.detail?.[0]?.loc]).toEqual([422, loc]);
  });

  it("latest is not for a body", async () => {
    const refused = await (await instructor()).post("/prompts/", {
      name: unique("x"),
      prompt: "x",
      labels: ["latest"],
    });
    expect(refusal(refused)).toEqual([400, "Label 'latest' is assigned automatically and cannot be set"]);
  });
});

describe("reading", () => {
  it("finds a version by its number, by a label, or else by production", async () => {
    const client = await admin();
    const name = unique("p");
    await create(client, name, "one", { labels: ["production"] });
    await create(client, name, "two", { labels: ["next"] });
    const textAt = async (query: string) => (await client.get(pathOf(name) + query)).body.prompt;
    expect(await textAt("")).toBe("one");
    expect(await textAt("/?version=2")).toBe("two");
    expect(await textAt("?label=latest")).toBe("two");
    expect(await textAt("?label=next")).toBe("two");
  });

  it("names the missing version or label, and rejects contradictions", async () => {
    const client = await instructor();
    const name = unique("p");
    await create(client, name, "one");
    const path = pathOf(name);
    expect(refusal(await client.get(path))).toEqual([
      404,
      `Prompt '${name}' with label 'production' not found`,
    ]);
    expect(refusal(await client.get(`${path}?version=9`))).toEqual([
      404,
      `Prompt '${name}' with version 9 not found`,
    ]);
    expect(refusal(await client.get("/prompts/nothing?label=x"))).toEqual([
      404,
      "Prompt 'nothing' with label 'x' not found",
    ]);
    expect((await client.get(`${path}?version=1&label=latest`)).status).toBe(400);
    expect((await client.get(`${path}?version=0`)).body.detail[0]).toMatchObject({
      loc: ["query", "version"],
      type: "greater_than_equal",
    });
  });

  it("a name in folders, with spaces, per cent signs and emoji is percent-encoded in every path", async () => {
    const client = await admin();
    const name = `${unique("folder")}/50% off/ü 🎓`;
    await create(client, name, "deep", { labels: ["production"] });
    const path = pathOf(name);
    expect(path).toContain("%2F");
    expect((await client.get(path)).body.name).toBe(name);
    expect((await client.get(`${path}/versions/`)).body.total).toBe(1);
    expect((await client.patch(`${path}/tags`, { tags: ["t"] })).body).toEqual({ success: true });
    expect((await client.get(`${path}/label-history`)).status).toBe(200);
    expect((await client.delete(`${path}/versions/1`)).status).toBe(204);
  });

  it("costs one round trip, three levels of references included", async () => {
    const client = await admin();
    const [a, b, c, d] = ["a", "b", "c", "d"].map((word) => unique(word)) as [string, string, string, string];
    await create(client, d, "end", { labels: ["production"] });
    await create(client, c, `c ${refTo(d)}`, { labels: ["production"] });
    await create(client, b, `b ${refTo(c)} ${refTo(d)}`, { labels: ["production"] });
    await create(client, a, `a ${refTo(b, 1)}`, { labels: ["production"] });
    expect((await client.get(pathOf(a))).body.resolved_prompt).toBe("a b c end end");
    expect(world.log.at(-1)).toMatchObject({ db_query_count: 1 });
  });
});

describe("lists", () => {
  it("filter prompts by name, label and tag, and show all versions of each", async () => {
    const client = await admin();
    const word = unique("List");
    for (const name of ["b", "a", "100%"]) {
      await create(client, `${word}/${name}`, "one", { tags: [`tag-${name}`], labels: ["production"] });
      await create(client, `${word}/${name}`, "two", { labels: name === "b" ? ["canary"] : [] });
    }
    const list = async (query: string) => (await client.get(`/prompts/?${query}`)).body;
    const all = await list(`name=${word.toLowerCase()}`);
    expect(all).toMatchObject({ total: 3, page: 1, page_size: 20 });
    expect(all.data.map(({ name }: { name: string }) => name)).toEqual([
      `${word}/100%`,
      `${word}/a`,
      `${word}/b`,
    ]);
    const b = {
      name: `${word}/b`,
      type: "text",
      versions: [1, 2],
      labels: ["canary", "latest", "production"],
      tags: ["tag-b"],
      name_version: expect.any(Number),
      last_updated_at: expect.any(String),
    };
    expect((await list(`name=${word}&label=canary`)).data).toEqual([b]);
    expect((await list(`name=${word}&tag=tag-b`)).data).toEqual([b]);
    expect(await list(`name=${word}&page=3&page_size=1`)).toEqual({
      data: [b],
      total: 3,
      page: 3,
      page_size: 1,
    });
    expect(await list(`name=${word}&page=9`)).toMatchObject({ data: [], total: 3 });
    expect((await list(`name=${encodeURIComponent("0%")}`)).data).toHaveLength(1);
    expect((await list(`name=${encodeURIComponent("_")}`)).data).toEqual([]);
    expect((await client.get("/prompts/?page_size=101")).status).toBe(422);
    expect((await client.get("/prompts/?page=0")).status).toBe(422);
  });

  it("show a prompt's versions, newest first, with their creators", async () => {
    const author = await make.holder("instructor", (await make.university()).id);
    const client = world.as(author);
    const name = unique("p");
    await create(client, name, "one", { commit_message: "why" });
    const second = await create(client, name, "two", { labels: ["x"] });
    const path = `${pathOf(name)}/versions`;
    const { body } = await client.get(`${path}?page_size=1`);
    expect(body).toEqual({
      versions: [
        {
          id: second.id,
          name,
          version: 2,
          labels: ["latest", "x"],
          name_version: second.name_version,
          commit_message: null,
          created_by: String(author.id),
          creator: { id: author.id, full_name: author.full_name },
          created_at: second.created_at,
        },
      ],
      total: 2,
    });
    expect((await client.get(`${path}?page=2&page_size=1`)).body.versions[0].commit_message).toBe("why");
    expect((await client.get(`${path}?page=9`)).body).toEqual({ versions: [], total: 2 });
    expect(refusal(await client.get("/prompts/nothing/versions"))).toEqual([404, "Prompt not found"]);
    expect((await client.get("/prompts/tutor/versions")).body.versions[0]).toMatchObject({
      created_by: null,
      creator: null,
    });
  });

  it("name creators and movers of labels to callers who may see the person", async () => {
    const { id: university_id } = await make.university();
    const author = await make.holder("instructor", university_id);
    const name = unique("p");
    await create(world.as(author), name, "one");
    const named = async (caller: { id: number }) => {
      const versions = await world.as(caller).get(`${pathOf(name)}/versions`);
      const history = await world.as(caller).get(`${pathOf(name)}/label-history`);
      return [versions.body.versions[0].creator, history.body[0].changed_by];
    };
    const { id, full_name } = author;
    const colleague = await make.holder("instructor", university_id);
    expect(await named(colleague)).toEqual([
      { id, full_name },
      { id, full_name },
    ]);
    const stranger = await make.holder("university_admin", (await make.university()).id);
    expect(await named(stranger)).toEqual([null, null]);
  });

  it("offer labels, names and link options, sorted", async () => {
    const client = await instructor();
    const [first, second] = [unique("a-name"), unique("b-name")];
    await create(client, second, "one", { labels: ["zeta"] });
    const newest = await create(client, second, "two", { labels: ["alpha"] });
    await create(client, first, "one");
    const labels = (await client.get("/prompts/labels")).body;
    expect(labels).toEqual([...labels].sort());
    expect(labels).toEqual(expect.arrayContaining(["alpha", "latest", "production", "zeta"]));

    const names = (await client.get("/prompts/names/?limit=1000")).body;
    expect(names).toContainEqual({ name: second, id: newest.id });
    const spelled = names.map(({ name }: { name: string }) => name);
    expect(spelled).toEqual([...spelled].sort());
    expect((await client.get("/prompts/names?skip=1&limit=1")).body).toEqual([names[1]]);

    expect((await client.get("/prompts/link-options?limit=1000")).body).toContainEqual({
      name: second,
      versions: [1, 2],
      labels: ["alpha", "latest", "zeta"],
    });
  });
});

describe("tags", () => {
  it("are set for all versions together, each once", async () => {
    const client = await instructor();
    const name = unique("p");
    await create(client, name, "one", { tags: ["old"] });
    await create(client, name, "two");
    const set = await client.patch(`${pathOf(name)}/tags`, { tags: ["new", "new", " warm "] });
    expect([set.status, set.body]).toEqual([200, { success: true }]);
    for (const version of [1, 2])
      expect((await client.get(`${pathOf(name)}?version=${version}`)).body.tags).toEqual(["new", "warm"]);
    expect((await client.patch(`${pathOf(name)}/tags`, { tags: [] })).status).toBe(200);
    expect((await client.patch(`${pathOf(name)}/tags`, { tags: [""] })).status).toBe(422);
    expect((await client.patch(`${pathOf(name)}/tags`, {})).status).toBe(422);
    expect(refusal(await client.patch("/prompts/nothing/tags", { tags: [] }))).toEqual([
      404,
      "Prompt not found",
    ]);
  });
});

describe("permissions", () => {
  const reads = [
    "/prompts/",
    "/prompts/tutor",
    "/prompts/tutor/versions",
    "/prompts/tutor/label-history",
    "/prompts/tutor/impact?label=production&version=1",
    "/prompts/labels",
    "/prompts/names",
    "/prompts/link-options",
  ];

  it("read: instructors of any university and above", async () => {
    for (const role of ["instructor", "department_admin", "university_admin", "platform_admin"] as const)
      for (const path of reads) expect((await (await holder(role)).get(path)).status, path).toBe(200);
    for (const role of ["student", "ta"] as const)
      for (const path of reads) expect((await (await holder(role)).get(path)).status, path).toBe(403);
    for (const path of reads) expect((await world.as().get(path)).status, path).toBe(401);
  });

  it("write: the same, and for others nothing happens", async () => {
    const assistant = await holder("ta");
    const name = unique("p");
    for (const answer of [
      await assistant.post("/prompts/", { name, prompt: "x" }),
      await assistant.post("/prompts/preview", { prompt_text: "x" }),
      await assistant.patch("/prompts/tutor/tags", { tags: [] }),
      await assistant.patch("/prompts/tutor/versions/1/labels", { labels: [] }),
    ])
      expect(refusal(answer)).toEqual([403, "Not enough permissions"]);
    expect((await (await instructor()).get(`${pathOf(name)}/versions`)).status).toBe(404);
  });

  it("delete: a platform_admin alone", async () => {
    const name = unique("p");
    await create(await instructor(), name, "x");
    for (const role of ["instructor", "university_admin"] as const) {
      const client = await holder(role);
      expect((await client.delete(pathOf(name))).status).toBe(403);
      expect((await client.delete(`${pathOf(name)}/versions/1`)).status).toBe(403);
    }
    expect((await (await admin()).delete(pathOf(name))).status).toBe(204);
  });
});
