import { expect } from "vitest";
import type { Client, Reply } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import type { World } from "../../../support/world.ts";

export const refTo = (name: string, target: string | number = "production"): string =>
  `@@@refPrompt:name=${name}|${typeof target === "number" ? "version" : "label"}=${target}@@@`;

export const pathOf = (name: string): string => `/prompts/${encodeURIComponent(name)}`;

export const refusal = ({ status, body }: Reply) => [status, body.detail];

/** People who may edit prompts, and unique names. */
export function promptsIn(world: World) {
  const make = makersOf(world);
  const holder = async (role: Parameters<typeof make.holder>[0]) =>
    world.as(await make.holder(role, (await make.university()).id));

  return {
    make,
    unique: make.unique,
    holder,
    instructor: () => holder("instructor"),
    admin: () => holder("platform_admin"),
  };
}

export async function create(client: Client, name: string, prompt: string, rest: object = {}) {
  const made = await client.post("/prompts/", { name, prompt, ...rest });
  expect(made.status, made.text).toBe(201);
  return made.body;
}

export const setLabels = (client: Client, name: string, version: number, labels: string[]) =>
  client.patch(`${pathOf(name)}/versions/${version}/labels`, { labels });

/** The labels of each version of a prompt: `{ 1: ["production"], 2: ["latest"] }`. */
export async function labelsOf(client: Client, name: string): Promise<Record<number, string[]>> {
  const { body } = await client.get(`${pathOf(name)}/versions?page_size=100`);
  return Object.fromEntries(
    body.versions.map(({ version, labels }: { version: number; labels: string[] }) => [version, labels]),
  );
}
