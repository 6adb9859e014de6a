import fc from "fast-check";
import { expect, it } from "vitest";
import type { Client, Reply } from "../../../support/client.ts";
import { isExhaustive } from "../../../support/representatives.ts";
import { openWorld } from "../../../support/world.ts";
import { create, pathOf, promptsIn, refTo, setLabels } from "./support.ts";

const world = openWorld();
const { unique, admin, instructor } = promptsIn(world);

const size = 10;
const runs = isExhaustive() ? 3 : 1;

type Target = string | number;
type Reference = { name: string; target: Target };
/** A version: the length of its filler, and its references. */
type Version = { filler: number; references: Reference[] };
/** Each name's versions (undefined if deleted), and the version of each label. */
type Model = { versions: Map<string, (Version | undefined)[]>; labels: Map<string, number> };

const labelKey = (name: string, label: string) => `${name} ${label}`;
const longest = 1_000_000;

/** A version's text with its references resolved. */
const textWith = (here: string, { filler }: Version, inlined: string[]) =>
  `[${[here, ...inlined].join(" ")}]${"é".repeat(filler)}`;

/** A reference resolver: follows every path and throws if one is broken. */
function visit<T>(
  model: Model,
  name: string,
  version: number,
  make: (here: string, version: Version, inlined: T[]) => T,
  path: string[] = [],
): T {
  const here = `${name} ${version}`;
  const found = model.versions.get(name)?.[version - 1];
  if (!found || path.includes(here) || path.length > 5) throw new Error("broken");
  const inlined = found.references.map(({ name: child, target }) => {
    const at = typeof target === "number" ? target : (model.labels.get(labelKey(child, target)) ?? 0);
    return visit(model, child, at, make, [...path, here]);
  });
  return make(here, found, inlined);
}

const resolve = (model: Model, name: string, version: number): string =>
  visit(model, name, version, textWith);

const lengthOf = (model: Model, name: string, version: number): number =>
  visit(
    model,
    name,
    version,
    (here, { filler }, inlined: number[]) =>
      inlined.reduce((sum, length) => sum + 1 + length, here.length + 2) + filler,
  );

/** Every version that resolves within the limits. */
function resolvable(model: Model): Set<string> {
  const found = new Set<string>();
  for (const [name, versions] of model.versions)
    for (const version of versions.keys())
      try {
        if (lengthOf(model, name, version + 1) <= longest) found.add(`${name} ${version + 1}`);
      } catch {}
  return found;
}

type Change = { by: "admin" | "instructor" } & Step;
type Step =
  | {
      kind: "create";
      name: number;
      filler: number;
      references: { name: number; target: Target }[];
      live: boolean;
    }
  | { kind: "delete"; name: number; version: number }
  | { kind: "label"; name: number; version: number; label: string };

const name = fc.nat(size - 1);
const target = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<Target>("production", "production", "latest") },
  { weight: 2, arbitrary: fc.constantFrom<Target>("beta", 1, 2) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("create"),
      name,
      live: fc.boolean(),
      filler: fc.constantFrom(0, 0, 10, 60_000, 190_000),
      references: fc.array(fc.record({ name, target }), { minLength: 1, maxLength: 6 }),
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
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("delete"),
      name,
      version: fc.integer({ min: 1, max: 3 }),
    }),
  },
);

const by = fc.constantFrom<Change["by"]>("admin", "admin", "admin", "instructor");
const change: fc.Arbitrary<Change> = fc.tuple(by, step).map(([by, step]) => ({ by, ...step }));

/** The first alone makes a prompt too long, the last by reference; the middle one is valid. */
const openers: Change[] = [190_000, 60_000].map((filler) => ({
  by: "admin",
  kind: "create",
  name: 1,
  filler,
  references: Array.from({ length: 6 }, () => ({ name: 0, target: "production" })),
  live: true,
}));
openers.push({ by: "admin", kind: "create", name: 0, filler: 190_000, references: [], live: true });

/** The second would change a protected version that the first makes. */
openers.push(
  {
    ...{ by: "admin", kind: "create", name: 2, filler: 0, live: true },
    references: [{ name: 0, target: "latest" }],
  },
  { by: "instructor", kind: "create", name: 0, filler: 0, references: [], live: false },
);

/** Whether a production version reaches a name's label, at any depth. */
function isReachedByProtected(model: Model, own: string, label: string): boolean {
  const reaches = (name: string, version: number): boolean =>
    (model.versions.get(name)?.[version - 1]?.references ?? []).some(
      ({ name: child, target }) =>
        (child === own && target === label) ||
        reaches(
          child,
          typeof target === "number" ? target : (model.labels.get(labelKey(child, target)) ?? 0),
        ),
    );
  return [...model.labels].some(([key, version]) => {
    const [name = "", held] = key.split(" ");
    return held === "production" && reaches(name, version);
  });
}

/**
 * Whether an instructor may make a change: it must not move a protected label or affect a protected version.
 */
function isInstructors(model: Model, own: string, change: Step): boolean {
  if (change.kind === "delete") return false;
  if (change.kind === "create") return !change.live && !isReachedByProtected(model, own, "latest");
  const { label, version } = change;
  if (model.labels.get(labelKey(own, label)) === version) return true;
  return label !== "production" && !isReachedByProtected(model, own, label);
}

/** The model after a change. Undefined if the change must be rejected. */
function changed(model: Model, names: string[], change: Change): Model | undefined {
  const after = { versions: new Map(model.versions), labels: new Map(model.labels) };
  const own = names[change.name] ?? "";
  const versions = model.versions.get(own) ?? [];
  if (change.by === "instructor" && !isInstructors(model, own, change)) return undefined;
  const stay = resolvable(model);
  if (change.kind === "create") {
    const references = change.references.map((one) => ({ ...one, name: names[one.name] ?? "" }));
    if (references.some((one) => one.name === own)) return undefined;
    after.versions.set(own, [...versions, { filler: change.filler, references }]);
    for (const label of change.live ? ["latest", "production"] : ["latest"])
      after.labels.set(labelKey(own, label), versions.length + 1);
    stay.add(`${own} ${versions.length + 1}`);
  } else {
    if (!versions[change.version - 1]) return undefined;
    if (change.kind === "label") after.labels.set(labelKey(own, change.label), change.version);
    else if (!deleted(after, own, change.version)) return undefined;
    if (change.kind === "delete") stay.delete(`${own} ${change.version}`);
  }
  const now = resolvable(after);
  return [...stay].every((key) => now.has(key)) ? after : undefined;
}

/** Deletes a version, unless a version depends on it or on a label that would disappear. */
function deleted(model: Model, own: string, version: number): boolean {
  const left = (model.versions.get(own) ?? []).map((one, at) => (at === version - 1 ? undefined : one));
  const heir = left.findLastIndex((one) => one !== undefined) + 1;
  const lost: Target[] = [version];
  for (const label of ["latest", "production", "beta"])
    if (model.labels.get(labelKey(own, label)) === version && !(label === "latest" && heir)) {
      model.labels.delete(labelKey(own, label));
      lost.push(label);
    }
  if (heir) {
    model.versions.set(own, left);
    model.labels.set(labelKey(own, "latest"), heir);
  } else model.versions.delete(own);
  const all = [...model.versions.values()].flat().flatMap((one) => one?.references ?? []);
  return !all.some(({ name, target }) => name === own && (!heir || lost.includes(target)));
}

async function ask(client: Client, names: string[], model: Model, change: Change): Promise<Reply> {
  const own = names[change.name] ?? "";
  const version = (model.versions.get(own)?.length ?? 0) + 1;
  if (change.kind === "delete") return client.delete(`${pathOf(own)}/versions/${change.version}`);
  if (change.kind === "label") {
    const held = [...model.labels].filter(([key, at]) => key.startsWith(`${own} `) && at === change.version);
    const labels = new Set([...held.map(([key]) => key.split(" ")[1] ?? ""), change.label]);
    return setLabels(client, own, change.version, [...labels]);
  }
  const tags = change.references.map((one) => refTo(names[one.name] ?? "", one.target));
  return client.post("/prompts/", {
    name: own,
    prompt: textWith(`${own} ${version}`, { filler: change.filler, references: [] }, tags),
    labels: change.live ? ["production"] : [],
  });
}

it("changes of 10 prompts that reference each other are taken and resolved as by a simple resolver", async () => {
  const clients = { admin: await admin(), instructor: await instructor() };
  const refusals: string[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 30, maxLength: 40 }), async (changes) => {
      const names = Array.from({ length: size }, (_, at) => `${unique("graph")}/${at}`);
      let model: Model = { versions: new Map(), labels: new Map() };
      for (const [at, own] of names.entries()) {
        const first = { filler: at % 3 === 0 ? 150_000 : 0, references: [] };
        await create(clients.admin, own, textWith(`${own} 1`, first, []), { labels: ["production"] });
        model.versions.set(own, [first]);
        for (const label of ["latest", "production"]) model.labels.set(labelKey(own, label), 1);
      }
      for (const one of [...openers, ...changes]) {
        const after = changed(model, names, one);
        const reply = await ask(clients[one.by], names, model, one);
        expect(reply.status < 300, JSON.stringify(one)).toBe(after !== undefined);
        if (after) model = after;
        else refusals.push(reply.body.detail);
      }
      for (const key of resolvable(model)) {
        const [own = "", version] = key.split(" ");
        const { body } = await clients.admin.get(`${pathOf(own)}?version=${version}`);
        expect(body.resolved_prompt === resolve(model, own, Number(version)), key).toBe(true);
      }
    }),
    { numRuns: runs, endOnFailure: true },
  );
  expect(refusals.length).toBeGreaterThan(10);
  expect(refusals.filter((detail) => detail.includes("longer than")).length).toBeGreaterThanOrEqual(2 * runs);
  expect(refusals.filter((detail) => detail.includes("the protected")).length).toBeGreaterThanOrEqual(runs);
});
