import { describe, expect, it } from "vitest";
import type { Client } from "../../../support/client.ts";
import { openWorld } from "../../../support/world.ts";
import { create, labelsOf, pathOf, promptsIn } from "./support.ts";

const world = openWorld();
const { unique, instructor, admin } = promptsIn(world);

const at = (version: number) => ({ headers: { "If-Match": `"${version}"` } });

async function written() {
  const [author, other] = [await instructor(), await admin()];
  const name = unique("p");
  await create(author, name, "one", { labels: ["a"] });
  await create(author, name, "two");
  const present = async () => (await author.get(`/prompts/?name=${name}`)).body.data[0];
  const version = async (): Promise<number> => (await present()).name_version;
  return { author, other, name, path: pathOf(name), present, version };
}

type Change = (
  client: Client,
  made: { path: string; name: string },
  version: number,
) => ReturnType<Client["get"]>;

const changes: [string, Change][] = [
  [
    "labels",
    (client, { path }, version) => client.patch(`${path}/versions/2/labels`, { labels: ["a"] }, at(version)),
  ],
  ["tags", (client, { path }, version) => client.patch(`${path}/tags`, { tags: ["mine"] }, at(version))],
  [
    "a further version",
    (client, { name }, version) => client.post("/prompts/", { name, prompt: "three" }, at(version)),
  ],
  [
    "the deletion of a version",
    (client, { path }, version) => client.delete(`${path}/versions/1`, at(version)),
  ],
  ["the deletion of all", (client, { path }, version) => client.delete(path, at(version))],
];

describe.each(changes)("%s", (_, change) => {
  it("is written in the version of the name that its author has read", async () => {
    const made = await written();
    const reply = await change(made.other, made, await made.version());
    expect(reply.status).toBeLessThan(300);
  });

  it("is rejected if another author has changed the name", async () => {
    const made = await written();
    const before = await made.version();
    await made.author.patch(`${made.path}/tags`, { tags: ["theirs"] });
    const labels = await labelsOf(made.author, made.name);
    const reply = await change(made.other, made, before);
    expect(reply.status).toBe(412);
    expect(reply.body.current).toMatchObject({ name: made.name, tags: ["theirs"], name_version: before + 1 });
    expect(await labelsOf(made.author, made.name)).toEqual(labels);
    expect((await made.present()).tags).toEqual(["theirs"]);
  });

  it("accepts one of two concurrent writes", async () => {
    const made = await written();
    const version = await made.version();
    const replies = await Promise.all([
      change(made.other, made, version),
      made.author.patch(`${made.path}/tags`, { tags: ["theirs"] }, at(version)),
    ]);
    expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(replies.filter(({ status }) => [404, 412].includes(status))).toHaveLength(1);
  });
});

it("each version, page and name answers the version of the name", async () => {
  const { author, name, path, present, version } = await written();
  const now = await version();
  expect((await author.get(`${path}?version=1`)).body).toMatchObject({ version: 1, name_version: now });
  expect((await author.get(`${path}/versions`)).body.versions[0]).toMatchObject({
    version: 2,
    name_version: now,
  });
  expect(await present()).toMatchObject({ name, name_version: now });
  const created = await create(author, name, "three");
  expect(created.name_version).toBe(await version());
  expect(created.name_version).toBeGreaterThan(now);
});

it("expecting a version of a missing prompt is a 404", async () => {
  const client = await instructor();
  const reply = await client.post("/prompts/", { name: unique("p"), prompt: "one" }, at(1));
  expect([reply.status, reply.body.detail]).toEqual([404, "Prompt not found"]);
});
