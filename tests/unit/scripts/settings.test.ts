import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { settingNames } from "../../../lib/config.ts";
import {
  containerSettings,
  parameterSettings,
  secretSettings,
  serverSettings,
  settingsElsewhere,
} from "../../../scripts/build/settings/placements.ts";

const textOf = (file: string): string =>
  readFileSync(path.resolve(import.meta.dirname, "../../..", file), "utf8");

/** The names of a file's block of environment variables: its indented lines up to the next key. */
const environmentOf = (file: string, start: RegExp): string[] => {
  const [, indent = "", block = ""] = start.exec(textOf(file)) ?? [];
  return [...block.matchAll(new RegExp(`^${indent}  ([A-Z][A-Z0-9_]*):`, "gm"))].map(([, name = ""]) => name);
};

/** Variables of a deployment that are not settings of the service. */
const ofContainer = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
const ofStack = ["SECRET_SETTINGS", "SECRET_VERSION", "NODE_OPTIONS"];

describe("each setting of config.ts", () => {
  it("has one place on AWS: a parameter, the secret, or none", () => {
    const placed = [parameterSettings, secretSettings, serverSettings, settingsElsewhere].flat();
    expect(placed.toSorted()).toEqual(settingNames.toSorted());
  });

  it("reaches the container through compose.yaml", () => {
    const passed = environmentOf("compose.yaml", /^( +)environment: &settings\n(.*?)^\1[a-z]/ms);
    expect(passed.toSorted()).toEqual([...containerSettings, ...ofContainer].toSorted());
  });

  it("reaches the functions through serverless.yml, unless it is secret", () => {
    const passed = environmentOf("serverless.yml", /^( +)environment:\n(.*?)(?=^\S)/ms);
    expect(passed.toSorted()).toEqual([...parameterSettings, ...ofStack].toSorted());
  });

  it("is described in docs/reference/settings.md, with its place on AWS", () => {
    const rows = [...textOf("docs/reference/settings.md").matchAll(/^\| `(\w+)` \| .+ \| (\w*) \|$/gm)];
    const places = Object.fromEntries(rows.map(([, name, place]) => [name, place]));
    const placeOf = (name: string) =>
      secretSettings.includes(name) ? "secret" : parameterSettings.includes(name) ? "parameter" : "";
    for (const name of settingNames.filter((one) => one !== "AWS_LAMBDA_FUNCTION_NAME"))
      expect(places[name], name).toBe(placeOf(name));
  });
});

/** Named like secrets, but public: numbers, and identifiers that a secret belongs to. */
const publicNames = ["CLOUD_ACCESS_KEY_ID", "LLM_MAX_TOKENS", "OBS_PUBLIC_KEY"];

it("a setting that is named like a secret is in the secret", () => {
  const secretive = settingNames.filter((name) =>
    /(SECRET|PASSWORD|TOKEN|CREDENTIAL)S?$|_KEY(_|$)/.test(name),
  );
  expect(secretive.length).toBeGreaterThan(5);
  const exposed = secretive.filter((name) => !secretSettings.includes(name));
  expect(exposed.toSorted()).toEqual(publicNames.toSorted());
});
