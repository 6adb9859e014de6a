import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type DeploymentParts, deploy } from "../../../scripts/local/deployment.ts";
import { readSecretSettings } from "../../../scripts/local/secret-settings.ts";

const secret = {
  DATABASE_URL: "postgresql://app:pw@ep-cool-1.eu-central-1.aws.neon.tech/learning",
  SECRET_KEY: "0123456789abcdef0123456789abcdef",
  LLM_PROVIDER: "cloud_managed",
};

/** A deployment whose steps are written down instead of done. */
function deployment(settings: object = secret, own: Partial<DeploymentParts> = {}) {
  const steps: string[] = [];
  const parts: DeploymentParts = {
    async readSecret(name, region, profile) {
      steps.push(`read ${name} in ${region}${profile ? ` as ${profile}` : ""}`);
      return { text: JSON.stringify(settings), version: "version-7" };
    },
    async serverless(options) {
      steps.push(options.join(" "));
    },
    packagedEnvironment: async () => ({ ENVIRONMENT: "production", LLM_PROVIDER: "" }),
    async migrate(url) {
      steps.push(`migrate ${url}`);
      return 2;
    },
    report: () => {},
    ...own,
  };
  return { steps, parts };
}

describe("a deployment", () => {
  it("packages, migrates the stage's database, and only then replaces the code", async () => {
    const { steps, parts } = deployment();
    await deploy(["--stage", "production", "--param=chatConcurrency=50"], parts);
    const all = "--stage production --param=chatConcurrency=50 --param=secretVersion=version-7";
    expect(steps).toEqual([
      "read learning-platform/production/settings in eu-west-2",
      `package ${all}`,
      `migrate ${secret.DATABASE_URL}`,
      `deploy --package .serverless ${all}`,
    ]);
  });

  it("touches neither database nor code when a setting is wrong, and says which", async () => {
    const { steps, parts } = deployment({ ...secret, SECRET_KEY: "short", DATABASE_URL: undefined });
    const problems = /DATABASE_URL: is required.*SECRET_KEY: must have 32 or more/s;
    await expect(deploy([], parts)).rejects.toThrow(problems);
    expect(steps).toHaveLength(2);
  });

  it("reads the settings as the profile that it deploys as", async () => {
    for (const options of [["--aws-profile", "campus"], ["--aws-profile=campus"]]) {
      const { steps, parts } = deployment();
      await deploy(options, parts);
      expect(steps[0]).toBe("read learning-platform/dev/settings in eu-west-2 as campus");
      expect(steps.at(-1)).toContain(options.join(" "));
    }
  });

  it("touches neither database nor code when a function could not hold its settings", async () => {
    const full = {
      packagedEnvironment: async () => ({ ENVIRONMENT: "production", APP_NAME: "x".repeat(4000) }),
    };
    const { steps, parts } = deployment(secret, full);
    await expect(deploy([], parts)).rejects.toThrow(/takes 4096.*APP_NAME 4008, SECRET_SETTINGS/);
    expect(steps).toHaveLength(2);
  });

  it("leaves the code as it is when the database cannot be brought up to date", async () => {
    const failing = { migrate: () => Promise.reject(new Error("the migration failed")) };
    const { steps, parts } = deployment(secret, failing);
    await expect(deploy([], parts)).rejects.toThrow("the migration failed");
    expect(steps.filter((step) => step.startsWith("deploy"))).toEqual([]);
  });
});

describe("the secret settings", () => {
  afterEach(() => vi.unstubAllEnvs());

  /** Answers as AWS Secrets Manager does. */
  async function standIn(status: number, answer: object) {
    const server = createServer((_, response) => response.writeHead(status).end(JSON.stringify(answer)));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    vi.stubEnv("AWS_ENDPOINT_URL_SECRETS_MANAGER", `http://127.0.0.1:${port}`);
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "of the test");
    return { [Symbol.asyncDispose]: async () => void server.close() };
  }

  it("are read with their version", async () => {
    await using _ = await standIn(200, { SecretString: "{}", VersionId: "version-7" });
    expect(await readSecretSettings("a-secret", "eu-west-2")).toEqual({ text: "{}", version: "version-7" });
  });

  it("that are not there are asked for by name", async () => {
    await using _ = await standIn(400, { __type: "ResourceNotFoundException" });
    await expect(readSecretSettings("a-secret", "eu-west-2")).rejects.toThrow(
      "no secret a-secret in eu-west-2",
    );
  });
});
