import { expect, it } from "vitest";
import { openWorld } from "../../../support/world.ts";
import { create, labelsOf, pathOf, promptsIn, refTo, refusal, setLabels } from "./support.ts";

const world = openWorld();
const { unique, admin, instructor } = promptsIn(world);

const production = { labels: ["production"] };

const statuses = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();

it("20 concurrent creates of one name give the versions 1 to 20, and latest to the last", async () => {
  const client = await admin();
  const name = unique("p");
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, at) => create(client, name, `text ${at}`, { labels: ["shared"] })),
  );
  const versions = made.map(({ version }) => version).sort((one, two) => one - two);
  expect(versions).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  const labels = await labelsOf(client, name);
  expect(labels[20]).toEqual(["latest", "shared"]);
  expect(Object.values(labels).flat()).toHaveLength(2);
});

it("concurrent moves of one label leave exactly one holder, and a history without a gap", async () => {
  const client = await admin();
  const name = unique("p");
  for (let version = 1; version <= 6; version++) await create(client, name, `text ${version}`);
  const moved = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((version) => setLabels(client, name, version, ["production"])),
  );
  expect(statuses(moved)).toEqual([200, 200, 200, 200, 200, 200]);
  const holders = Object.entries(await labelsOf(client, name)).filter(([, held]) =>
    held.includes("production"),
  );
  expect(holders).toHaveLength(1);
  const { body } = await client.get(`${pathOf(name)}/label-history?label=production`);
  expect(body).toHaveLength(6);
  expect(body[0].to_version).toBe(Number(holders[0]?.[0]));
  for (let at = 0; at < 5; at++) expect(body[at].from_version).toBe(body[at + 1].to_version);
});

it("of two changes that would only together close a cycle, one is rejected", async () => {
  const client = await admin();
  for (let round = 0; round < 5; round++) {
    const [a, b] = [unique("a"), unique("b")];
    await create(client, a, "a", production);
    await create(client, b, "b", production);
    const both = await Promise.all([
      client.post("/prompts/", { name: a, prompt: refTo(b), ...production }),
      client.post("/prompts/", { name: b, prompt: refTo(a), ...production }),
    ]);
    expect(statuses(both)).toEqual([201, 400]);
    for (const name of [a, b]) expect((await client.get(pathOf(name))).status).toBe(200);
  }
});

it("a prompt is not deleted under one that begins to reference it", async () => {
  const client = await admin();
  for (let round = 0; round < 5; round++) {
    const [tone, root] = [unique("tone"), unique("root")];
    await create(client, tone, "warm", production);
    const [created, deleted] = await Promise.all([
      client.post("/prompts/", { name: root, prompt: refTo(tone), ...production }),
      client.delete(pathOf(tone)),
    ]);
    expect([
      [201, 400],
      [400, 204],
    ]).toContainEqual([created.status, deleted.status]);
    expect((await client.get(pathOf(root))).status).toBe(created.status === 201 ? 200 : 404);
  }
});

it("concurrent deletes of one version delete it once, and latest is on the newest that remains", async () => {
  const client = await admin();
  const name = unique("p");
  for (const text of ["one", "two", "three", "four"]) await create(client, name, text);
  const deleted = await Promise.all(
    [4, 4, 3].map((version) => client.delete(`${pathOf(name)}/versions/${version}`)),
  );
  expect(statuses(deleted)).toEqual([204, 204, 404]);
  expect(await labelsOf(client, name)).toEqual({ 1: [], 2: ["latest"] });
});

it("the references of a protected version do not change, however close the two requests are", async () => {
  const [client, owner] = [await instructor(), await admin()];
  for (let round = 0; round < 5; round++) {
    const [tone, tutor] = [unique("tone"), unique("tutor")];
    await create(client, tone, "1");
    await create(owner, tutor, refTo(tone, "latest"));
    const posts = ["2", "3", "4", "5"].map((prompt) => client.post("/prompts/", { name: tone, prompt }));
    const [labelled, ...posted] = await Promise.all([setLabels(owner, tutor, 1, ["production"]), ...posts]);
    expect(labelled.status).toBe(200);
    const taken = posted.filter(({ status }) => status === 201);
    expect(posted.filter(({ status }) => status === 403)).toHaveLength(4 - taken.length);
    const moments = async (name: string, label: string): Promise<string[]> => {
      const { body } = await owner.get(`${pathOf(name)}/label-history?label=${label}`);
      return body.map(({ changed_at }: { changed_at: string }) => changed_at);
    };
    const [since = ""] = await moments(tutor, "production");
    const moves = await moments(tone, "latest");
    expect(moves).toHaveLength(1 + taken.length);
    for (const moved of moves) expect(moved <= since, `${moved} before ${since}`).toBe(true);
    expect(refusal(await client.post("/prompts/", { name: tone, prompt: "late" }))[0]).toBe(403);
  }
});
