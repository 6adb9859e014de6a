import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expectLearnerScenarioOutput } from "../../../proof/clients/learner-scenario.ts";
import {
  findMissingTool,
  runCommandRejectingWarnings,
  ToolFailure,
  ToolWarningFailure,
} from "../../../proof/clients/toolchain.ts";
import { acceptedToolWarnings, findUnacceptedWarnings } from "../../../proof/clients/warnings.ts";

type Parts = {
  properties?: Record<string, unknown>;
  enum?: unknown[];
  type?: unknown;
};

describe("npm run interop clients", () => {
  const done = {
    courses: 4,
    enrollment: "ACTIVE",
    words: 300,
    ended: true,
    question: "q1",
    progress: 50,
    missing: "Course not found",
  };

  it("takes a job as done if its last line says so, after any output of a tool", () => {
    expectLearnerScenarioOutput(`downloading\n${JSON.stringify(done)}\n`);
  });

  it.each([
    { ...done, words: 0 },
    { ...done, ended: false },
    { ...done, progress: 0 },
    { ...done, missing: "" },
    { ...done, question: null },
  ])("reports the missing part of a job that was not done: %j", (facts) => {
    expect(() => expectLearnerScenarioOutput(JSON.stringify(facts))).toThrow("The task failed");
  });

  it("names a missing tool", async () => {
    expect(await findMissingTool(["node"])).toBeUndefined();
    expect(await findMissingTool(["node", "no-such-tool-anywhere"])).toBe("no-such-tool-anywhere");
  });

  it("prints the output of a failed tool", async () => {
    const failing = runCommandRejectingWarnings(
      ".",
      process.execPath,
      "--eval",
      "console.error('it does not compile'); process.exit(3)",
    );
    await expect(failing).rejects.toThrow(ToolFailure);
    await expect(failing).rejects.toThrow("it does not compile");
  });

  it.each([
    ["OpenAPI Generator", "[main] WARN  o.o.c.languages.AbstractJavaCodegen - Ignoring complex example"],
    ["openapi-python-client", "WARNING parsing GET /api/v1/cartridges within common_cartridge."],
    ["Maven", "[WARNING] Client.java:[3,1] [deprecation] it is deprecated"],
    ["Python", "model.py:3: SyntaxWarning: invalid escape sequence"],
    ["npm", "npm warn deprecated package@1.0.0"],
  ])("treats warnings of %s as failures, and reports them", async (_, warning) => {
    expect(findUnacceptedWarnings(`writing a file\n${warning}\n${warning}\ndone`)).toEqual([warning]);
    for (const channel of ["log", "error"]) {
      const warned = runCommandRejectingWarnings(
        ".",
        process.execPath,
        "--eval",
        `console.${channel}(${JSON.stringify(warning)})`,
      );
      await expect(warned).rejects.toThrow(ToolWarningFailure);
      await expect(warned).rejects.toThrow(warning);
    }
  });

  it("accepts known faults that are not about the document, each for a reason", async () => {
    const beta =
      "[main] WARN  o.o.codegen.DefaultCodegen - OpenAPI 3.1 support is still in beta. To report an issue";
    expect(
      await runCommandRejectingWarnings(
        ".",
        process.execPath,
        "--eval",
        `console.log(${JSON.stringify(beta)})`,
      ),
    ).toContain(beta);
    for (const { because } of acceptedToolWarnings) expect(because.length).toBeGreaterThan(20);
  });
});

describe("the API document, for generators", () => {
  const text = readFileSync(new URL("../../../docs/reference/openapi.json", import.meta.url), "utf8");
  const document: {
    components: { schemas: Record<string, Parts> };
    paths: Record<string, Record<string, { operationId: string }>>;
  } = JSON.parse(text);
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );

  it("gives each operation a unique name, ignoring case, that is valid in every language", () => {
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([]);
    expect(
      ids.filter((id) => /^(delete|import|new|class|default|return|type|range|func|def)$/.test(id)),
    ).toEqual([]);
  });

  it("names its schemas as types are named, each differently in any letter case", () => {
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]+$/.test(name))).toEqual([]);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  });

  it("lists named values in an enumeration: texts and numbers, and perhaps null", () => {
    const odd: unknown[] = [];
    const look = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      const { enum: values } = value as Parts;
      if (
        Array.isArray(values) &&
        values.some((one) => typeof one === "boolean" || (typeof one === "object" && one !== null))
      )
        odd.push(value);
      for (const part of Object.values(value)) look(part);
    };
    look(document);
    expect(odd).toEqual([]);
  });

  it("has no property that is null alone, and none of named fields with an object for a default", () => {
    const odd: string[] = [];
    const look = (value: unknown, at: string): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [name, property] of Object.entries((value as Parts).properties ?? {})) {
        const { type, properties, default: initial } = property as Parts & { default?: unknown };
        if (type === "null" || (properties && initial !== undefined)) odd.push(`${at}.${name}`);
      }
      for (const [key, part] of Object.entries(value)) look(part, `${at}.${key}`);
    };
    look(document, "");
    expect(odd).toEqual([]);
  });
});
