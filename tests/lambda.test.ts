import { execFile } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { groups } from "../functions/groups.ts";
import { settingNames } from "../lib/config.ts";
import type { Group } from "../lib/http/endpoint.ts";
import { documentPath } from "../lib/http/paths.ts";

/** A route is `any /api/v1/courses`, or the same as an object; other events have none. */
type Event = { http?: string | { method: string; path: string } };
type State = {
  service: {
    functions: Record<string, { handler: string; events: Event[] }>;
    provider: { environment: Record<string, string> };
  };
};
type Resource = { Type: string; Properties: Record<string, unknown> };

const root = path.resolve(import.meta.dirname, "..");
const foldersWith = (file: string): string[] =>
  globSync(`functions/*/${file}`, { cwd: root }).map((found) => found.split(path.sep)[1] ?? "");

/** A folder without a group answers no requests: it is for a schedule. */
const folders = { functions: foldersWith("handler.ts"), groups: foldersWith("app.ts") };

let place: string;
let state: State;
let resources: Resource[];

/** Packages as `npm run package` does, with nothing in the environment but what a shell needs. */
beforeAll(async () => {
  place = await mkdtemp(path.join(tmpdir(), "learning-platform-package-"));
  const command = [
    path.join(root, "node_modules/serverless/bin/serverless.js"),
    "package",
    "--package",
    place,
  ];
  const env = { PATH: process.env["PATH"], HOME: place };
  await promisify(execFile)(process.execPath, command, { cwd: root, env, timeout: 110_000 });
  const read = (file: string) => JSON.parse(readFileSync(path.join(place, file), "utf8"));
  state = read("serverless-state.json");
  resources = Object.values(read("cloudformation-template-update-stack.json").Resources);
}, 120_000);

afterAll(() => rm(place, { recursive: true, force: true }));

/** Which function API Gateway sends a path to: the one whose path is the most specific that matches. */
function functionOf(asked: string): string | undefined {
  const matching = Object.entries(state.service.functions).flatMap(([name, { events }]) =>
    events
      .map(pathOf)
      .filter((pattern) => pattern !== undefined)
      .filter((pattern) => matches(pattern, asked))
      .map((pattern) => ({ name, pattern })),
  );
  return matching.sort((one, two) => two.pattern.length - one.pattern.length)[0]?.name;
}

function pathOf({ http }: Event): string | undefined {
  const path = typeof http === "string" ? http.replace(/^\w+ /, "") : http?.path;
  return path?.replace(/^\/?/, "/");
}

function matches(pattern: string, asked: string): boolean {
  const prefix = pattern.replace(/\{proxy\+\}$/, "");
  return pattern.endsWith("{proxy+}") ? asked.startsWith(prefix) && asked !== prefix : pattern === asked;
}

const groupOf = async (folder: string): Promise<Group | undefined> =>
  Object.values<Group>(await import(`../functions/${folder}/app.ts`))[0];

describe("the package", () => {
  it("has a function for each folder, and one zip for each function", () => {
    expect(Object.keys(state.service.functions).sort()).toEqual(folders.functions.sort());
    for (const [name, { handler }] of Object.entries(state.service.functions)) {
      expect(handler).toBe(`functions/${name}/handler.handler`);
      expect(existsSync(path.join(place, `${name}.zip`)), name).toBe(true);
    }
    expect(readdirSync(place).filter((file) => file.endsWith(".zip"))).toHaveLength(folders.functions.length);
  });

  it("has the groups of the list that the local server and the API document use", async () => {
    const ofFolders = await Promise.all(folders.groups.map(groupOf));
    expect(new Set(ofFolders)).toEqual(new Set(groups));
  });

  it("sends every operation to the function of its group", async () => {
    for (const folder of folders.groups) {
      const group = await groupOf(folder);
      for (const { contract } of group?.endpoints ?? []) {
        const asked = documentPath("/api/v1", group as Group, contract).replaceAll(/\{\w+\}/g, "1");
        expect(functionOf(asked.replace(/\/$/, "")), asked).toBe(folder);
      }
    }
  });

  it("streams the answers of chat, and of nothing else", () => {
    const streamed = resources.filter(
      ({ Properties }) =>
        (Properties["Integration"] as { ResponseTransferMode?: string } | undefined)?.ResponseTransferMode ===
        "STREAM",
    );
    expect(streamed).toHaveLength(state.service.functions["chat"]?.events.length ?? -1);
    expect(JSON.stringify(streamed)).toContain("response-streaming-invocations");
  });

  it("runs on Node 24 and arm64", () => {
    const functions = resources.filter(({ Type }) => Type === "AWS::Lambda::Function");
    expect(functions).toHaveLength(folders.functions.length);
    for (const { Properties } of functions)
      expect(Properties).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"] });
  });

  it("hands every setting on that means something there", () => {
    const local = ["PORT", "LOG_FILE_ENABLED", "LOG_DIR", "LOG_FILE_MAX_BYTES", "LOG_FILE_BACKUP_COUNT"];
    const elsewhere = [...local, "NEON_LOCAL_PROXY", "AWS_LAMBDA_FUNCTION_NAME"];
    expect(Object.keys(state.service.provider.environment)).toEqual(
      settingNames.filter((name) => !elsewhere.includes(name)),
    );
  });
});
