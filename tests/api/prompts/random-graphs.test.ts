import fc from "fast-check";
import { expect, it } from "vitest";
import type { Client } from "../../support/client.ts";
import { openWorld } from "../../support/world.ts";
import { create, pathOf, promptsIn, refTo, setLabels } from "./support.ts";

const world = openWorld();
const { unique, admin } = promptsIn(world);

const size = 30;

type Target = string | number;
type Reference = { name: string; target: Target };
/** Version by version, what each name references; and where each label stands. */
type Model = { versions: Map<string, Reference[][]>; labels: Map<string, number> };

const labelKey = (name: string, label: string) => `${name} ${label}`;

/** The simplest resolver that could be right: it follows every path, and throws where one cannot be followed. */
function resolve(model: Model, name: string, version: number, path: string[] = []): string {
  const here = `${name} ${version}`;
  const references = model.versions.get(name)?.[version - 1];
  if (!references || path.includes(here) || path.length > 5) throw new Error("broken");
  const inlined = references.map(({ name: child, target }) => {
    const at = typeof target === "number" ? target : (model.labels.get(labelKey(child, target)) ?? 0);
    return resolve(model, child, at, [...path, here]);
  });
  return `[${[here, ...inlined].join(" ")}]`;
}

/** Every version that can be resolved, with what comes out. */
function resolvable(model: Model): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, versions] of model.versions)
    for (let version = 1; version <= versions.length; version++)
      try {
        texts.set(`${name} ${version}`, resolve(model, name, version));
      } catch {}
  return texts;
}

type Change =
  | { kind: "create"; name: number; references: { name: number; target: Target }[]; live: boolean }
  | { kind: "label"; name: number; version: number; label: string };

const name = fc.nat(size - 1);
const target = fc.constantFrom<Target>(
  "production",
  "production",
  "production",
  "latest",
  "latest",
  "beta",
  1,
  2,
);
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("create"),
      name,
      live: fc.boolean(),
      references: fc.array(fc.record({ name, target }), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("label"),
      name,
      version: fc.integer({ min: 1, max: 3 }),
      label: fc.constantFrom("production", "beta"),
    }),
  },
);

/** What a change makes of the model, or undefined where it must be refused. */
function changed(model: Model, names: string[], change: Change): Model | undefined {
  const after = { versions: new Map(model.versions), labels: new Map(model.labels) };
  const own = names[change.name] ?? "";
  const versions = model.versions.get(own) ?? [];
  if (change.kind === "label") {
    if (change.version > versions.length) return undefined;
    after.labels.set(labelKey(own, change.label), change.version);
  } else {
    const references = change.references.map((one) => ({ ...one, name: names[one.name] ?? "" }));
    if (references.some((one) => one.name === own)) return undefined;
    after.versions.set(own, [...versions, references]);
    for (const label of change.live ? ["latest", "production"] : ["latest"])
      after.labels.set(labelKey(own, label), versions.length + 1);
  }
  const now = resolvable(after);
  const stay = [
    ...resolvable(model).keys(),
    ...(change.kind === "create" ? [`${own} ${versions.length + 1}`] : []),
  ];
  return stay.every((key) => now.has(key)) ? after : undefined;
}

/** Asks the API for the change, and says whether it was made. */
async function ask(client: Client, names: string[], model: Model, change: Change): Promise<boolean> {
  const own = names[change.name] ?? "";
  const version = (model.versions.get(own)?.length ?? 0) + 1;
  if (change.kind === "label") {
    const held = [...model.labels].filter(([key, at]) => key.startsWith(`${own} `) && at === change.version);
    const labels = new Set([...held.map(([key]) => key.split(" ")[1] ?? ""), change.label]);
    return (await setLabels(client, own, change.version, [...labels])).status === 200;
  }
  const tags = change.references.map((one) => ` ${refTo(names[one.name] ?? "", one.target)}`);
  const reply = await client.post("/prompts/", {
    name: own,
    prompt: `[${own} ${version}${tags.join("")}]`,
    labels: change.live ? ["production"] : [],
  });
  return reply.status === 201;
}

it("changes of 30 prompts that reference each other are taken and resolved as by a simple resolver", async () => {
  const client = await admin();
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 40, maxLength: 60 }), async (changes) => {
      const names = Array.from({ length: size }, (_, at) => `${unique("graph")}/${at}`);
      let model: Model = { versions: new Map(), labels: new Map() };
      for (const own of names) {
        await create(client, own, `[${own} 1]`, { labels: ["production"] });
        model.versions.set(own, [[]]);
        for (const label of ["latest", "production"]) model.labels.set(labelKey(own, label), 1);
      }
      for (const one of changes) {
        const after = changed(model, names, one);
        expect(await ask(client, names, model, one), JSON.stringify(one)).toBe(after !== undefined);
        if (after) model = after;
        else refused++;
      }
      for (const [key, text] of resolvable(model)) {
        const [own = "", version] = key.split(" ");
        const { body } = await client.get(`${pathOf(own)}?version=${version}`);
        expect(body.resolved_prompt).toBe(text);
      }
    }),
    { numRuns: 3, endOnFailure: true },
  );
  expect(refused).toBeGreaterThan(10);
}, 60_000);
