import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createConfig, lint } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../functions/groups.ts";
import { type PolicyRule, policy } from "../../lib/identity/rbac/policy.ts";
import { maxBodyBytes } from "../../schema/api/platform/file-text.ts";
import { everyErrorCode } from "../../scripts/build/every-error-code.ts";
import { documentFile, writeDocument } from "../../scripts/build/openapi/write.ts";
import { neverOf, onlyOf } from "../../scripts/build/refusals/shared-tables.ts";

type Schema = {
  $ref?: string;
  example?: unknown;
  examples?: unknown[];
  type?: string | string[];
  required?: string[];
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};
type Media = { example?: unknown; examples?: object; schema?: Schema };
type Body = { content?: Record<string, Media> };
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: object[];
  parameters?: { name: string; description?: string }[];
  requestBody?: Body;
  responses: Record<string, Body & { description: string }>;
  "x-error-codes": Record<string, string[]>;
};

const committed = await readFile(documentFile, "utf8");
const document: {
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string }[];
  components: { schemas: Record<string, Schema> };
} = JSON.parse(committed);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
);

/** All objects in the document that meet a condition. */
function findAll(value: unknown, holds: (object: Record<string, unknown>) => boolean): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap((part) => findAll(part, holds));
  return holds(value as Record<string, unknown>) ? [value, ...inside] : inside;
}

const isBase64 = ({ pattern }: Record<string, unknown>): boolean =>
  typeof pattern === "string" && pattern.startsWith("^[A-Za-z0-9+/]*");

/** With the components to which it refers. */
function reachable(value: unknown, seen = new Set<string>()): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => reachable(one, seen));
  const { $ref, ...rest } = value as { $ref?: string };
  const name = $ref?.split("/").at(-1) ?? "";
  const target = seen.has(name) ? undefined : document.components.schemas[name];
  if (target) seen.add(name);
  return [
    ...(target ? [reachable(target, seen)] : []),
    Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, reachable(one, seen)])),
  ];
}

describe("a file within a request", () => {
  type Text = { pattern?: string; maxLength?: number; description?: string };
  const requested = operations.flatMap(({ requestBody }) =>
    findAll(reachable(requestBody), isBase64),
  ) as Text[];

  it("has a limit of its own below that of the body, which the document states", () => {
    expect(new Set(requested.map((one) => JSON.stringify(one))).size).toBeGreaterThanOrEqual(4);
    for (const { maxLength = Number.POSITIVE_INFINITY, description = "" } of requested) {
      expect(maxLength + 16_384, description).toBeLessThan(maxBodyBytes);
      const bytes = (maxLength / 4) * 3;
      const [, stated = ""] = /at most ([\d,]+) bytes/.exec(description) ?? [];
      expect(Math.abs(Number(stated.replaceAll(",", "")) - bytes), description).toBeLessThan(3);
    }
  });
});

describe("the API document", () => {
  it("is current: `npm run generate openapi` writes the committed file", async () => {
    expect((await writeDocument()) === committed).toBe(true);
  });

  it("has every operation of every group but the documentation's own", () => {
    const described = allEndpointGroups.filter(({ tag }) => tag !== "Documentation");
    expect(operations).toHaveLength(described.flatMap(({ endpoints }) => endpoints).length);
  });

  it("names each operation by the id of its contract", () => {
    const described = allEndpointGroups
      .filter(({ tag }) => tag !== "Documentation")
      .flatMap(({ endpoints }) => endpoints);
    const ids = described.map(({ contract }) => contract.id);
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(ids.sort());
  });

  it("describes each operation, its callers and its tag", () => {
    const tags = document.tags.map(({ name }) => name);
    for (const { name, summary, description, tags: own, security } of operations) {
      expect(summary, name).toMatch(/^[A-Z].{8,}/);
      expect(description, name).toMatch(/token/);
      expect(tags, name).toContain(own[0]);
      expect(security, name).toBeDefined();
    }
  });

  it("has a summary of two to six words for each operation", () => {
    const others = operations.filter(({ summary }) => !/^[A-Z][\w'-]*(,? [\w'.-]+){1,5}$/.test(summary));
    expect(others.map(({ name, summary }) => `${name}: ${summary}`)).toEqual([]);
  });

  it("describes operations and fields in plain words", () => {
    const unusual =
      /\b(whoever|whomever|whatever|somebody|anybody|nobody|one's|oneself|anew|meanwhile|so that|in place of|is told|are told|stands)\b|(^|[.:;] )(Who|Whose|What|Where)\b/;
    // The texts of error codes have their own rules.
    const texts = findAll(document, ({ description }) => typeof description === "string").flatMap((one) =>
      (one as { description: string }).description.split("\n").filter((line) => !/^- \d{3} `/.test(line)),
    );
    expect(texts.length).toBeGreaterThan(5000);
    expect(texts.filter((text) => unusual.test(text))).toEqual([]);
  });

  it("says which scope an API key takes for an operation, in words too", () => {
    const scoped = allEndpointGroups.flatMap(({ tag, endpoints }) =>
      tag === "Documentation" ? [] : endpoints.filter(({ contract }) => contract.scope),
    );
    expect(scoped.length).toBeGreaterThan(20);
    for (const { contract } of scoped) {
      const told = operations.find(({ operationId }) => operationId === contract.id);
      expect(told).toMatchObject({ "x-api-key-scope": contract.scope });
      expect(told?.description).toContain(`An API key needs the scope \`${contract.scope}\`.`);
    }
    expect(operations.filter((one) => "x-api-key-scope" in one)).toHaveLength(scoped.length);
  });

  it("states the role and the conflict of interest of each operation", () => {
    const guarded = allEndpointGroups.flatMap(({ tag, endpoints }) =>
      tag === "Documentation" ? [] : endpoints.filter(({ contract }) => contract.access.actions.length > 0),
    );
    expect(guarded.length).toBeGreaterThan(200);
    for (const { contract } of guarded) {
      const [action] = contract.access.actions;
      const rule: PolicyRule | undefined = action && policy[action];
      const { description = "" } = operations.find(({ operationId }) => operationId === contract.id) ?? {};
      expect(description, contract.id).toContain(`equires the role \`${rule?.least}\``);
      expect(description.includes("Excludes staff below"), contract.id).toBe(Boolean(rule?.apartFrom));
    }
  });

  it("lists the rules of each operation's refusals, in words and for programs", () => {
    const unlisted = operations.filter(
      ({ responses, "x-error-codes": codes }) =>
        ["400", "409"].some((status) => responses[status]) && !codes["400"] && !codes["409"],
    );
    expect(unlisted.map(({ name }) => name)).toEqual([]);
    for (const { name, description, responses, "x-error-codes": codes } of operations) {
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(Object.keys(codes)));
      for (const [status, all] of Object.entries(codes))
        for (const code of all) expect(description, name).toContain(`- ${status} \`${code}\`: `);
    }
  });

  it("refers in shared texts to existing codes and operations", () => {
    const ids = operations.map(({ operationId }) => operationId);
    const codes = new Set(everyErrorCode.map(({ code }) => code));
    const named = [...Object.values(onlyOf).flat(), ...Object.keys(neverOf)];
    expect(named.filter((id) => !ids.includes(id))).toEqual([]);
    const told = [...Object.keys(onlyOf), ...Object.values(neverOf).flat()];
    expect(told.filter((code) => !codes.has(code))).toEqual([]);
  });

  it("has an example of every body, that of one that is taken in its schema", () => {
    for (const { name, requestBody, responses } of operations) {
      for (const [status, { content = {} }] of Object.entries(responses))
        for (const { example, examples } of Object.values(content))
          expect(example ?? examples, `${name} ${status}`).toBeDefined();
      for (const { schema = {}, ...beside } of Object.values(requestBody?.content ?? {})) {
        const { example, examples } =
          document.components.schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema;
        expect(example ?? examples?.[0], `${name} request`).toBeDefined();
        expect(beside, `${name} request`).toEqual({});
      }
    }
  });

  it("has no field of only null, which client generators make a separate type of", () => {
    const ofNull = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, { type }]) => type === "null")
        .map(([field]) => `${name}.${field}`),
    );
    expect(ofNull).toEqual([]);
  });

  it("has patterns for the whole text, and without flags, which JSON Schema lacks", () => {
    const patterns = findAll(document, ({ pattern }) => typeof pattern === "string").map(
      (one) => (one as { pattern: string }).pattern,
    );
    expect(patterns.length).toBeGreaterThan(0);
    expect(patterns.filter((one) => !/^\^.*\$$/.test(one))).toEqual([]);
    for (const one of patterns) expect(() => new RegExp(one, "u")).not.toThrow();
  });

  it("describes every field and parameter", () => {
    const silent: string[] = [];
    const look = (schema: Schema, where: string) => {
      for (const [key, property] of Object.entries(schema.properties ?? {})) {
        if (!property.description) silent.push(`${where}.${key}`);
        look(property, `${where}.${key}`);
      }
      const { items, anyOf = [], oneOf = [], allOf = [] } = schema;
      for (const part of [items, ...anyOf, ...oneOf, ...allOf]) if (part) look(part, where);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name);
    for (const { name, parameters = [], requestBody, responses } of operations) {
      for (const parameter of parameters)
        if (!parameter.description) silent.push(`${name} ${parameter.name}`);
      for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)] as Pick<
        Body,
        "content"
      >[])
        for (const { schema } of Object.values(content)) if (schema) look(schema, name);
    }
    expect(silent).toEqual([]);
  });

  it("declares null at the use of a named schema, and never in the schema itself", () => {
    const odd = Object.entries(document.components.schemas).filter(
      ([, { type, anyOf, oneOf, allOf }]) => typeof type !== "string" || (anyOf ?? oneOf ?? allOf),
    );
    expect(odd.map(([name]) => name)).toEqual([]);
    const mixed = findAll(document, ({ allOf }) => Array.isArray(allOf) && allOf.length > 1);
    expect(mixed).toEqual([]);
  });

  it("describes `data_json` by named shapes with keys for learners or staff, or a free object", () => {
    const names = [
      "VideoData",
      "QuizData",
      "EngineeringLabData",
      "TextData",
      "AssignmentData",
      "ResourceData",
      "ScormData",
      "ExternalToolData",
    ];
    const { schemas } = document.components;
    for (const name of ["ContentItem", "ContentItemCreate", "ContentItemUpdate", "ListedContentItem"])
      expect(schemas[name]?.properties?.["data_json"]?.anyOf, name).toEqual([
        ...names.map((shape) => ({ $ref: `#/components/schemas/${shape}` })),
        { type: "object", patternProperties: { "^": {} } },
      ]);
    for (const name of names) {
      const keys = findAll(schemas[name], ({ "x-audience": audience }) => audience !== undefined);
      const properties = findAll(schemas[name], ({ properties }) => properties !== undefined);
      const all = (properties as Schema[]).flatMap((one) => Object.values(one.properties ?? {}));
      expect(keys, name).toHaveLength(all.length);
    }
  });

  it("describes the events of a stream, as a text that contains them", () => {
    const streams = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) => content?.["text/event-stream"] ?? []),
    );
    expect(streams.length).toBeGreaterThan(2);
    for (const { schema } of streams)
      expect(schema).toMatchObject({
        type: "string",
        contentSchema: { $ref: "#/components/schemas/TutorEvent" },
      });
    const { required, properties } = document.components.schemas["TutorEvent"] ?? {};
    expect(required).toEqual(["content", "done"]);
    expect(properties).toHaveProperty("question.$ref", "#/components/schemas/TutorQuestion");
  });

  it("names no schema like a reserved word of a programming language", () => {
    const taken =
      /^(Error|File|Module|Object|Map|List|Set|String|Date|Record|Type|Function|Class|Package|Import|Any|Model)$/i;
    expect(Object.keys(document.components.schemas).filter((name) => taken.test(name))).toEqual([]);
  });

  it("names the errors that follow from a token and from an input", () => {
    for (const { name, security, requestBody, responses } of operations) {
      const statuses = Object.keys(responses);
      const needsToken = security.length === 1 && Object.keys(security[0] ?? {}).length > 0;
      if (needsToken) expect(statuses, name).toEqual(expect.arrayContaining(["401", "403"]));
      if (requestBody) expect(statuses, name).toEqual(expect.arrayContaining(["413", "422"]));
    }
  });

  it("has one successful response per operation: a success, or a redirect for browsers", () => {
    for (const { name, responses } of operations) {
      const all = Object.keys(responses).filter((status) => /^[23]/.test(status) && status !== "304");
      // Created or already present: the same for the caller.
      const isCreatedOrFound = all.join() === "200,201";
      // Only responses about people outside the university are offers.
      const isCreatedOrOffered =
        all.join() === "201,202" && JSON.stringify(responses["202"]).includes('schemas/Offered"');
      // JSON clients receive a URL, and browsers a redirect.
      const isToldOrLed =
        all.join() === "200,302" && JSON.stringify(responses["200"]).includes('schemas/FileAddress"');
      expect(isCreatedOrFound || isCreatedOrOffered || isToldOrLed ? [201] : all, name).toHaveLength(1);
    }
  });

  it("passes Redocly's recommended rules without a warning", async () => {
    const ownRule = { "operation-2xx-response": "off" } as const;
    const config = await createConfig({ extends: ["recommended"], rules: ownRule });
    const problems = await lint({ ref: fileURLToPath(documentFile), config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });
});
