import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { SchemaInspection } from "../../../lib/platform/db/migrations/inspect.ts";
import { secretSettings } from "../../../scripts/build/settings/placements.ts";
import { type PreflightParts, preflight } from "../../../scripts/ops/deployment/preflight.ts";
import { secretGroups, settingsByGroup } from "../../../scripts/ops/deployment/secret-groups.ts";
import { readSecretSettings } from "../../../scripts/ops/deployment/secret-settings.ts";
import { createPatientServer } from "../../support/patient-server.ts";

const secret = {
  DATABASE_URL: "postgresql://app:pw@ep-cool-1.eu-central-1.aws.neon.tech/learning",
  SECRET_KEY: "0123456789abcdef0123456789abcdef",
  LLM_PROVIDER: "cloud_managed",
};

const target = {
  stage: "production",
  environment: { ENVIRONMENT: "production", LLM_PROVIDER: "", SECRET_VERSION: "version-7" },
};

/** The checks in order, and the output. */
function looking(settings: object = secret, own: Partial<PreflightParts> = {}) {
  const seen: string[] = [];
  const inspection: SchemaInspection = { missing: 2, migrating: undefined };
  const parts: PreflightParts = {
    async identity() {
      return "arn:aws:iam::1:user/ada";
    },
    async readSecret(name) {
      seen.push(name);
      return { text: JSON.stringify(settings), version: "version-7" };
    },
    async inspect(url) {
      seen.push(url);
      return inspection;
    },
    report: (message) => seen.push(message),
    ...own,
  };
  return { seen, parts };
}

describe("before a deployment", () => {
  it("the deployer, the stage's secret, the settings and the database are checked, in this order", async () => {
    const { seen, parts } = looking();
    const config = await preflight(target, parts);
    expect(config).toMatchObject({ ENVIRONMENT: "production", LLM_PROVIDER: "cloud_managed" });
    expect(seen).toEqual([
      "Deploying as arn:aws:iam::1:user/ada",
      "learning-platform/production/settings",
      secret.DATABASE_URL,
    ]);
  });

  it("the database is checked past a pooler, if that address is given", async () => {
    const direct = "postgresql://app:pw@db.example.edu:5432/learning";
    const given = { ...secret, DIRECT_DATABASE_URL: direct };
    const { seen, parts } = looking(given);
    await preflight(target, parts);
    expect(seen.at(-1)).toBe(direct);
    const unreachable = looking(given, { inspect: () => Promise.reject(new Error("connect ETIMEDOUT")) });
    await expect(preflight(target, unreachable.parts)).rejects.toThrow(
      "DIRECT_DATABASE_URL: connect ETIMEDOUT",
    );
  });

  it("secrets that only some functions receive are checked too", async () => {
    const lacking = looking({ ...secret, LLM_PROVIDER: "direct_api" });
    await expect(preflight(target, lacking.parts)).rejects.toThrow("DIRECT_API_KEY: is required");
  });

  it("all obstacles are reported together", async () => {
    const large = { ...target, environment: { ...target.environment, APP_NAME: "x".repeat(4000) } };
    const wrong = looking({ ...secret, SECRET_KEY: "short", DATABASE_URL: undefined });
    await expect(preflight(large, wrong.parts)).rejects.toThrow(
      /Nothing was changed.*DATABASE_URL: is required.*SECRET_KEY: must have 32.*accepts 4096.*APP_NAME 4008, SECRET_S/s,
    );
    expect(wrong.seen).toHaveLength(2);
    const unreachable = looking(secret, { inspect: () => Promise.reject(new Error("connect ETIMEDOUT")) });
    await expect(preflight(large, unreachable.parts)).rejects.toThrow(
      /accepts 4096.*DATABASE_URL: connect ETIMEDOUT/s,
    );
  });

  it.each([
    [
      "nobody is signed in",
      { identity: () => Promise.reject(new Error("expired")) },
      /AWS did not accept your credentials.*expired/,
    ],
    [
      "there is no secret",
      { readSecret: () => Promise.reject(new Error("no secret")) },
      /cannot be read: no secret/,
    ],
    [
      "someone else migrates",
      { inspect: async () => ({ missing: 0, migrating: "pid 71 since 10:15:03 (active)" }) },
      /Another migration runs: pid 71 since 10:15:03/,
    ],
  ] as const)("it is refused where %s", async (_, own, message) => {
    await expect(preflight(target, looking(secret, own).parts)).rejects.toThrow(message);
  });

  it("settings that only AWS fills in are no fault, and a folder for files is one, which functions lose", async () => {
    const withStore = (FILE_STORE: string | { "Fn::Sub": string }) =>
      preflight({ ...target, environment: { ...target.environment, FILE_STORE } }, looking().parts);
    const { FILE_STORE } = await withStore({ "Fn::Sub": `s3://\${FilesBucket}?region=\${AWS::Region}` });
    expect(FILE_STORE).toMatchObject({ kind: "s3" });
    await expect(withStore("folder:/srv/files")).rejects.toThrow("FILE_STORE: must be s3://… on Lambda");
  });

  it("a package built for other secret settings is reported", async () => {
    const { seen, parts } = looking();
    await preflight({ ...target, environment: { ...target.environment, SECRET_VERSION: "" } }, parts);
    expect(seen.join()).toContain("built with other secret settings");
  });
});

describe("the secret of a group of functions", () => {
  const everything = Object.fromEntries(secretSettings.map((name) => [name, `the ${name}`]));
  const given = settingsByGroup(JSON.stringify({ ...everything, APP_NAME: "Learn" }));
  const namesOf = (group: string) => Object.keys(JSON.parse(given[group] ?? ""));
  const common = ["DATABASE_URL", "REPORT_DATABASE_URL", "SECRET_KEY", "SECRET_KEY_PREVIOUS", "APP_NAME"];

  it("has what all functions receive, and its own secrets", () => {
    expect(namesOf("others")).toEqual(common);
    for (const [group, { settings }] of Object.entries(secretGroups))
      expect(namesOf(group).toSorted()).toEqual([...common, ...settings].toSorted());
  });

  it("never has the address of the database's owner", () => {
    expect(Object.values(given).join()).not.toContain("DIRECT_DATABASE_URL");
  });

  it("restricts every secret of one kind of function", () => {
    const restricted = Object.values(secretGroups).flatMap(({ settings }) => settings);
    const shared = [...common, "DIRECT_DATABASE_URL"];
    expect([...restricted, ...shared].toSorted()).toEqual([...secretSettings, "APP_NAME"].toSorted());
  });
});

describe("the secret settings", () => {
  /** Responds like AWS Secrets Manager. */
  async function standIn(status: number, answer: object) {
    const server = createPatientServer((_, response) =>
      response.writeHead(status).end(JSON.stringify(answer)),
    );
    await once(server.listen(0, "127.0.0.1"), "listening");
    const config = {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: "eu-west-2",
      credentials: { accessKeyId: "of the test", secretAccessKey: "of the test" },
    };
    return { config, [Symbol.asyncDispose]: async () => void server.close() };
  }

  it("are read with their version", async () => {
    await using aws = await standIn(200, { SecretString: "{}", VersionId: "version-7" });
    expect(await readSecretSettings("a-secret", aws.config)).toEqual({ text: "{}", version: "version-7" });
  });

  it("that are missing are listed by name", async () => {
    await using aws = await standIn(400, { __type: "ResourceNotFoundException" });
    await expect(readSecretSettings("a-secret", aws.config)).rejects.toThrow("no secret a-secret");
  });
});
