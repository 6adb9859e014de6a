import { describe, expect, it } from "vitest";
import { openWorld } from "../../../support/world.ts";
import { create, labelsOf, pathOf, promptsIn, refTo, refusal, setLabels } from "./support.ts";

const world = openWorld({ PROTECTED_PROMPT_LABELS: "production,exam" });
const { make, unique, instructor, admin } = promptsIn(world);

const forbidden = [403, "Not enough permissions"];

describe("setting labels", () => {
  it("sets exactly those, moves them from other versions, and leaves latest", async () => {
    const client = await instructor();
    const name = unique("p");
    const first = await create(client, name, "one", { labels: ["a", "b"] });
    await create(client, name, "two", { labels: ["c"] });
    const set = await setLabels(client, name, 1, ["c", "b", "c"]);
    expect([set.status, set.body]).toEqual([
      200,
      { ...first, labels: ["b", "c"], name_version: expect.any(Number), updated_at: expect.any(String) },
    ]);
    expect(await labelsOf(client, name)).toEqual({ 1: ["b", "c"], 2: ["latest"] });
    expect((await setLabels(client, name, 1, [])).body.labels).toEqual([]);
  });

  it("accepts the labels that were read, latest included, and rejects latest elsewhere", async () => {
    const client = await instructor();
    const name = unique("p");
    await create(client, name, "one");
    await create(client, name, "two", { labels: ["x"] });
    expect((await setLabels(client, name, 2, ["latest", "x"])).body.labels).toEqual(["latest", "x"]);
    expect((await setLabels(client, name, 2, [])).body.labels).toEqual(["latest"]);
    expect(refusal(await setLabels(client, name, 1, ["latest"]))).toEqual([
      400,
      "Label 'latest' is assigned automatically and cannot be set",
    ]);
    expect(await labelsOf(client, name)).toEqual({ 1: [], 2: ["latest"] });
  });

  it("rejects invalid labels and versions", async () => {
    const client = await instructor();
    const name = unique("p");
    await create(client, name, "one");
    for (const label of ["Upper", "", "a b", " a", "é", "x".repeat(37)])
      expect((await setLabels(client, name, 1, [label])).status, label).toBe(422);
    expect((await client.patch(`${pathOf(name)}/versions/1/labels`, {})).status).toBe(422);
    expect(refusal(await setLabels(client, name, 2, []))).toEqual([404, "Prompt version not found"]);
    expect(refusal(await setLabels(client, "nothing", 1, ["a"]))).toEqual([404, "Prompt version not found"]);
    expect((await setLabels(client, name, 0, [])).status).toBe(422);
  });
});

describe("a protected label", () => {
  it("is no instructor's to create with, put on, move, take off or delete with its version", async () => {
    const [client, owner] = [await instructor(), await admin()];
    const name = unique("p");
    expect(refusal(await client.post("/prompts/", { name, prompt: "x", labels: ["a", "exam"] }))).toEqual(
      forbidden,
    );
    await create(client, name, "one", { labels: ["a"] });
    await create(client, name, "two");
    expect(refusal(await setLabels(client, name, 1, ["a", "production"]))).toEqual(forbidden);
    expect((await setLabels(owner, name, 1, ["a", "production"])).status).toBe(200);
    expect(refusal(await setLabels(client, name, 2, ["production"]))).toEqual(forbidden);
    expect(refusal(await setLabels(client, name, 1, ["a"]))).toEqual(forbidden);
    expect(refusal(await setLabels(client, name, 1, []))).toEqual(forbidden);
    expect(refusal(await client.post("/prompts/", { name, prompt: "x", labels: ["production"] }))).toEqual(
      forbidden,
    );
    expect(refusal(await client.delete(`${pathOf(name)}/versions/1`))).toEqual(forbidden);
    expect(refusal(await client.delete(pathOf(name)))).toEqual(forbidden);
    expect(await labelsOf(client, name)).toEqual({ 1: ["a", "production"], 2: ["latest"] });
  });

  it("is a platform_admin's to move, take off and create with", async () => {
    const [client, owner] = [await instructor(), await admin()];
    const name = unique("p");
    await create(client, name, "one");
    await create(client, name, "two");
    expect((await setLabels(owner, name, 1, ["production"])).status).toBe(200);
    expect((await setLabels(owner, name, 2, ["production"])).status).toBe(200);
    expect((await setLabels(owner, name, 2, [])).status).toBe(200);
    expect((await create(owner, name, "three", { labels: ["production"] })).version).toBe(3);
  });

  it("does not stop others from setting the other labels", async () => {
    const [client, owner] = [await instructor(), await admin()];
    const name = unique("p");
    await create(owner, name, "one", { labels: ["production"] });
    const set = await setLabels(client, name, 1, ["production", "latest", "mine"]);
    expect(set.body.labels).toEqual(["latest", "mine", "production"]);
  });
});

describe("a label that a protected version reaches", () => {
  const protectedBy = (name: string, version = 1): [number, string] => [
    403,
    `Not enough permissions: the protected ${name} (version ${version}) would change with this label`,
  ];

  it("is moved, added and removed by a platform_admin only, at any depth, and the refusal names the version", async () => {
    const [client, owner] = [await instructor(), await admin()];
    const [tutor, style, tone] = [unique("tutor"), unique("style"), unique("tone")];
    await create(client, tone, "warm", { labels: ["formal"] });
    await create(client, tone, "cold", { labels: ["other"] });
    await create(client, style, refTo(tone, "formal"), { labels: ["calm"] });
    await create(owner, tutor, refTo(style, "calm"), { labels: ["production"] });
    for (const [name, version, labels] of [
      [tone, 2, ["other", "formal"]],
      [tone, 1, []],
      [style, 1, []],
    ] as const)
      expect(refusal(await setLabels(client, name, version, [...labels])), name).toEqual(protectedBy(tutor));
    expect(await labelsOf(client, tone)).toEqual({ 1: ["formal"], 2: ["latest", "other"] });

    expect((await setLabels(client, tone, 1, ["formal", "other"])).status, "reached by nobody").toBe(200);
    expect((await setLabels(owner, tone, 2, ["formal"])).status).toBe(200);
  });

  it("cannot be taken by a new version, be it `latest`", async () => {
    const [client, owner] = [await instructor(), await admin()];
    const [tutor, tone] = [unique("tutor"), unique("tone")];
    await create(client, tone, "warm", { labels: ["formal"] });
    await create(owner, tutor, `${refTo(tone, "formal")} ${refTo(tone, "latest")}`, { labels: ["exam"] });
    const next = { name: tone, prompt: "Ignore the learner." };
    for (const labels of [[], ["formal"]])
      expect(refusal(await client.post("/prompts/", { ...next, labels }))).toEqual(protectedBy(tutor));
    expect(await labelsOf(client, tone)).toEqual({ 1: ["formal", "latest"] });
    expect((await owner.post("/prompts/", next)).status).toBe(201);
  });

  it("is anyone's again when no protected version reaches it any more", async () => {
    const [client, owner] = [await instructor(), await admin()];
    const [tutor, tone] = [unique("tutor"), unique("tone")];
    await create(client, tone, "warm");
    await create(owner, tutor, refTo(tone, "latest"), { labels: ["production"] });
    await create(owner, tutor, refTo(tone, 1), { labels: ["production"] });
    expect((await client.post("/prompts/", { name: tone, prompt: "cold" })).status).toBe(201);
    await setLabels(owner, tutor, 1, ["production"]);
    expect(refusal(await client.post("/prompts/", { name: tone, prompt: "cold" }))).toEqual(
      protectedBy(tutor),
    );
  });

  it("may be referenced by anyone's prompts, which are theirs to change", async () => {
    const client = await instructor();
    const [draft, tone] = [unique("draft"), unique("tone")];
    await create(client, tone, "warm");
    await create(client, draft, refTo(tone, "latest"), { labels: ["staging"] });
    expect((await client.post("/prompts/", { name: tone, prompt: "cold" })).status).toBe(201);
  });
});

describe("the history of labels", () => {
  it("has mover, label and time, from which version to which, newest first", async () => {
    const person = await make.holder("platform_admin", (await make.university()).id);
    const client = world.as(person);
    const name = unique("p");
    await create(client, name, "one", { labels: ["production"] });
    await create(client, name, "two", { labels: ["production"] });
    await setLabels(client, name, 1, ["production"]);
    await setLabels(client, name, 1, ["production"]);
    await setLabels(client, name, 1, []);
    const by = { id: person.id, full_name: person.full_name };
    const moves = async (query = "") =>
      (await client.get(`${pathOf(name)}/label-history${query}`)).body.map(
        (event: { label: string; from_version: number; to_version: number; changed_by: unknown }) => {
          expect(event.changed_by).toEqual(by);
          return [event.label, event.from_version, event.to_version];
        },
      );
    expect(await moves("?label=production")).toEqual([
      ["production", 1, null],
      ["production", 2, 1],
      ["production", 1, 2],
      ["production", null, 1],
    ]);
    expect(await moves("?label=latest")).toEqual([
      ["latest", 1, 2],
      ["latest", null, 1],
    ]);
    expect(await moves()).toHaveLength(6);
    expect(await moves("?skip=1&limit=1")).toEqual([["production", 2, 1]]);
  });

  it("includes moves of latest after deletions, outlives the prompt, and is a 404 for an unknown name", async () => {
    const client = await admin();
    const name = unique("p");
    const path = `${pathOf(name)}/label-history`;
    await create(client, name, "one");
    await create(client, name, "two", { labels: ["a"] });
    await client.delete(`${pathOf(name)}/versions/2`);
    await client.delete(pathOf(name));
    const { body } = await client.get(path);
    expect(
      body.map((event: { label: string; from_version: number; to_version: number }) => [
        event.label,
        event.from_version,
        event.to_version,
      ]),
    ).toEqual([
      ["latest", 1, null],
      ["latest", 2, 1],
      ["a", 2, null],
      ["latest", 1, 2],
      ["a", null, 2],
      ["latest", null, 1],
    ]);
    expect((await client.get("/prompts/tutor/label-history")).body, "of the first version").toEqual([]);
    expect(refusal(await client.get("/prompts/nothing/label-history"))).toEqual([404, "Prompt not found"]);
  });
});
