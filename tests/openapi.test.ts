import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { groups } from "../functions/groups.ts";
import { documentPath } from "../lib/http/paths.ts";
import { documentFile, writeDocument } from "../scripts/openapi.ts";

type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: object[];
  parameters?: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  requestBody?: object;
  responses: Record<string, { $ref?: string; description?: string }>;
};

const document = JSON.parse(writeDocument()) as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, object>>;
};

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
);

const served = groups
  .filter((group) => group.tag !== "Documentation")
  .flatMap((group) =>
    group.endpoints.map(({ contract }) => `${contract.method} ${documentPath("/api/v1", group, contract)}`),
  );

describe("the API document", () => {
  it("is committed as it is generated: run `npm run openapi`", () => {
    expect(readFileSync(documentFile, "utf8")).toBe(writeDocument());
  });

  it("describes every operation that is served, and no other", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(operations.map(({ name }) => name).sort()).toEqual(served.sort());
  });

  it("gives each operation a name of its own, a summary, a tag and an answer", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).toEqual([...new Set(ids)]);
    for (const { name, operation } of operations) {
      expect(operation.operationId, name).toMatch(/^[a-z][A-Za-z]+$/);
      expect(operation.summary, name).toBeTruthy();
      expect(operation.tags, name).toHaveLength(1);
      expect(
        Object.keys(operation.responses).some((status) => /^[23]/.test(status)),
        name,
      ).toBe(true);
    }
  });

  it("names every parameter of a path, and says what each parameter is", () => {
    for (const { name, path, operation } of operations) {
      const parameters = operation.parameters ?? [];
      const inPath = parameters
        .filter((parameter) => parameter.in === "path")
        .map((parameter) => parameter.name);
      expect(inPath.sort(), name).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, word]) => word).sort());
      for (const { schema } of parameters)
        expect(schema["type"] ?? schema["enum"] ?? schema["$ref"] ?? schema["anyOf"], name).toBeDefined();
    }
  });

  it("declares 401 and 403 where a token is needed, and 422 where there is input", () => {
    for (const { name, operation } of operations) {
      const statuses = Object.keys(operation.responses);
      const needsToken =
        operation.security.length > 0 && operation.security.every((one) => Object.keys(one).length > 0);
      if (needsToken) expect(statuses, name).toEqual(expect.arrayContaining(["401", "403"]));
      if (operation.parameters || operation.requestBody) expect(statuses, name).toContain("422");
      if (operation.requestBody) expect(statuses, name).toContain("413");
    }
  });

  it("has no reference that leads nowhere", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, target]) => target ?? "",
    );
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      const [, , kind = "", name = ""] = reference.split("/");
      expect(document.components[kind]?.[name], reference).toBeDefined();
    }
  });
});
