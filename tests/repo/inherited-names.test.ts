import { beforeAll, describe, expect, it } from "vitest";
import { canvasQuizRules } from "../../lib/integrations/cartridges/canvas-settings.ts";
import { readManifest } from "../../lib/integrations/cartridges/read-manifest.ts";
import { applySettingRulesToPairs } from "../../lib/integrations/cartridges/settings.ts";
import { parseQuestionFileByContent } from "../../lib/integrations/question-files/read-questions.ts";
import { openPackage } from "../api/integrations/scorm/open-package.ts";
import { item, manifestOf, resource } from "../support/cartridges.ts";
import { openDryRun } from "../support/dry-run.ts";
import { makersOf } from "../support/makers.ts";
import { operations, pathOf } from "../support/operations.ts";
import { allOr, oneOfEach } from "../support/representatives.ts";
import { directoryWith, scimUser } from "../support/scim.ts";
import { manifest12 } from "../support/scorm.ts";
import { openWorld } from "../support/world.ts";

/** Properties that every object inherits. A lookup by a caller's word must not find them. */
const inherited = ["constructor", "__proto__", "toString", "hasOwnProperty"];

const propertiesOfObjects = [
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(Object),
];

describe("the name of an inherited property", () => {
  const dryRun = openDryRun();
  const asked = operations.flatMap((operation) => {
    const names = operation.parameters.filter((one) => one.in === "query").map(({ name }) => name);
    return names.length > 0 ? [{ ...operation, operation, names }] : [];
  });

  it.each(asked)("is no value that $name knows in its query", async ({ operation, names }) => {
    const { university } = dryRun;
    const admin = university.people.find(({ name }) => name === "platform_admin of the university");
    const person = operation.contract.access.open === "own data" ? university.learner : admin;
    const queries = names.flatMap((name) => inherited.map((word) => ({ name, word })));
    const few = () => oneOfEach(queries, ({ name }) => name, operations.indexOf(operation));
    for (const { name, word } of allOr(queries, few)) {
      const path = `${pathOf(operation, university.paths)}?${new URLSearchParams({ [name]: word })}`;
      const reply = await dryRun.ask(person, { method: operation.method, path });
      expect(reply.status, `${name}=${word}: ${reply.text}`).toBeLessThan(500);
    }
  });
});

describe("a directory that names an inherited property", () => {
  const world = openWorld();
  const make = makersOf(world);
  let directory: ReturnType<typeof directoryWith>;

  beforeAll(async () => {
    const { id } = await make.university();
    const body = { name: "Directory", scopes: ["scim"], expires_at: "2027-01-01T00:00:00Z" };
    const admin = world.as(await make.holder("university_admin", id));
    directory = directoryWith(world, (await admin.post(`/universities/${id}/api-keys`, body)).body.key);
  });

  const filtersOf = (word: string) => [
    `${word} eq "a"`,
    `${word}.polluted eq "a"`,
    `${word}.polluted.more eq "a"`,
    `userName.${word} eq "a"`,
    `userName ${word} "a"`,
    `active ${word} true`,
    `meta.created ${word} "2026-01-01T00:00:00Z"`,
    `emails[${word} eq "a"]`,
    `${word}[polluted eq "a"]`,
    `not (${word}.polluted eq "a")`,
    `userName eq "a" and ${word}.polluted eq "b"`,
  ];

  it.each(inherited)("is refused in filters and changes no object: %s", async (word) => {
    for (const path of ["/Users", "/Groups"])
      for (const filter of filtersOf(word)) {
        const reply = await directory.get(`${path}?${new URLSearchParams({ filter })}`);
        expect([reply.status, reply.body.scimType], filter).toEqual([400, "invalidFilter"]);
        const searched = await directory.post(`${path}/.search`, { filter });
        expect(searched.status, filter).toBe(400);
      }
    expect((await directory.get(`/Users?filter=userName eq "${word}"`)).body.totalResults).toBe(0);
    expect(propertiesNow()).toEqual(propertiesOfObjects);
  });

  it.each(inherited)("is refused in resources and changes, and changes no object: %s", async (word) => {
    const user = (await directory.post("/Users", scimUser(`${make.unique("ada")}@example.edu`))).body;
    const group = (await directory.post("/Groups", groupOf(make.unique("group")))).body;
    const faulty = JSON.parse(`{"${word}.polluted": "a"}`);
    const nested = JSON.parse(`{"name": {"${word}": {"polluted": "a"}}}`);
    const listed = JSON.parse(`{"emails": [{"${word}": {"polluted": "a"}}]}`);
    for (const more of [faulty, nested, listed]) {
      const made = await directory.post("/Users", scimUser(make.unique("bob"), more));
      expect([made.status, made.body.scimType], JSON.stringify(more)).toEqual([400, "invalidSyntax"]);
      expect((await directory.post("/Groups", groupOf("Bad", more))).status).toBe(400);
    }
    const changes = [
      { op: "add", path: `${word}.polluted`, value: "a" },
      { op: "add", path: `name.${word}`, value: { polluted: "a" } },
      { op: "replace", path: `emails[${word} eq "a"].value`, value: "a" },
      { op: "remove", path: `${word}.polluted` },
      { op: "add", value: faulty },
      { op: "add", value: [faulty] },
    ];
    for (const [path, { id }] of Object.entries({ Users: user, Groups: group }))
      for (const change of changes) {
        const { status } = await directory.patch(`/${path}/${id}`, [change]);
        expect(status, `${path} ${JSON.stringify(change)}`).toBe(400);
      }
    expect(propertiesNow()).toEqual(propertiesOfObjects);
  });

  const groupOf = (displayName: string, more: object = {}) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
    displayName,
    ...more,
  });
});

describe("an imported file that names an inherited property", () => {
  it.each(propertiesOfObjects)("has no type of question by it: %s", (word) => {
    const xml = `<quiz><question type="${word}"><x:${word}>1</x:${word}></question></quiz>`;
    const [read] = parseQuestionFileByContent({ name: "q.xml", xml }, { isPackaged: false });
    expect(read).toMatchObject({ fault: expect.stringContaining("left_out_question_kind") });
  });

  it.each(propertiesOfObjects)("has folders, resources and settings of it: %s", (word) => {
    const outline = item(word, "Folder", undefined, item(`${word}2`, "Link", word));
    const text = manifestOf(outline, resource(word, "imswl_xmlv1p1", ["link.xml"]));
    const titles = { untitled: "Course", further: "Further" };
    const { parts } = readManifest({ text, names: ["link.xml"], titles });
    expect(parts.map(({ kind, details }) => [kind, details])).toEqual([
      ["module", {}],
      ["link", { path: "link.xml" }],
    ]);
    expect(applySettingRulesToPairs([[word, "1"]], canvasQuizRules)).toMatchObject({
      taken: {},
      leftOut: [expect.stringContaining("left_out_setting")],
    });
  });

  const world = openWorld();

  it.each(inherited)("is launched with a part of a package that is named so: %s", async (word) => {
    const manifest = manifest12([
      { href: "index.html", title: "First" },
      { href: "index.html", title: "Second" },
    ]).replace('identifier="item2"', `identifier="${word}"`);
    const { launch } = await openPackage(world, { files: { "imsmanifest.xml": manifest } });
    for (const body of [{}, { sco: word }, { sco: word }])
      expect(await launch(body)).toMatchObject({
        status: 201,
        body: { scos: [{ completed: false }, { id: word, completed: false, passed: null }] },
      });
  });
});

const propertiesNow = () => [
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(Object),
];
