import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { ConfigError, ignoredFrontendSettingNames, loadConfig, settingNames } from "../../lib/config.ts";

const enough = {
  DATABASE_URL: "postgresql://app:pw@db.example/learning",
  SECRET_KEY: "0123456789abcdef0123456789abcdef",
  LLM_PROVIDER: "cloud_managed",
};

function problemsOf(settings: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig(settings);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("settings", () => {
  it("log every statement with DEBUG, by default", () => {
    expect(loadConfig({ ...enough, DEBUG: "true" })).toMatchObject({
      LOG_LEVEL: "DEBUG",
      DATABASE_ECHO: true,
    });
    const stated = { LOG_LEVEL: "ERROR", DATABASE_ECHO: "false" };
    expect(loadConfig({ ...enough, ...stated, DEBUG: "true" })).toMatchObject({
      LOG_LEVEL: "ERROR",
      DATABASE_ECHO: false,
    });
  });

  it("that are absent create no schema, because creating all slows the start of a function", async () => {
    const made: unknown[] = [];
    z.config({ postProcessor: (schema) => void made.push(schema) });
    try {
      vi.resetModules();
      const fresh = await import("../../lib/config.ts");
      fresh.loadConfig(enough);
      expect(made).not.toEqual([]);
      expect(made.length).toBeLessThan(settingNames.length / 3);
    } finally {
      z.config({ postProcessor: undefined });
    }
  });

  it("have the documented defaults", () => {
    expect(loadConfig(enough)).toMatchObject({
      APP_VERSION: "1.0.0",
      DEBUG: false,
      ENVIRONMENT: "production",
      API_V1_PREFIX: "/api/v1",
      LOG_LEVEL: "INFO",
      LOG_FORMAT: "json",
      ENABLE_ACCESS_LOG: true,
      SLOW_QUERY_THRESHOLD_MS: 1000,
      LOG_FILE_ENABLED: true,
      LOG_DIR: "logs",
      LOG_FILE_MAX_BYTES: 10_485_760,
      LOG_FILE_BACKUP_COUNT: 25,
      ENABLE_METRICS: true,
      DATABASE_ECHO: false,
      ALGORITHM: "HS256",
      ACCESS_TOKEN_EXPIRE_MINUTES: 30,
      REFRESH_TOKEN_EXPIRE_DAYS: 7,
      BCRYPT_COST: 12,
      BACKEND_CORS_ORIGINS: [],
      LLM_MAX_TOKENS: 4096,
      LLM_PRICES: {},
      LLM_PRICES_CURRENCY: "USD",
      LLM_THINKING: "off",
      LLM_PROMPT_CACHING: true,
      TUTOR_MATERIAL_CHARACTERS: 100_000,
      TUTOR_TURNS_PER_DAY: 200,
      TUTOR_TURNS_AT_ONCE: 4,
      CLOUD_REGION: "eu-west-2",
      PROTECTED_PROMPT_LABELS: ["production"],
      CACHE_MAX_AGE_DAYS: 400,
      CACHE_MAX_NODES: 1_000_000,
      onLambda: false,
    });
  });

  it("cannot be changed once they are read", () => {
    expect(Object.isFrozen(loadConfig(enough))).toBe(true);
  });

  it("report every problem together, without their values", () => {
    const settings = {
      PORT: "seventy",
      LOG_LEVEL: "LOUD-SECRET",
      SECRET_KEY: "short-secret",
      LLM_PROVIDER: "direct_api",
      CLOUD_ACCESS_KEY_ID: "AKIA-SECRET",
      DIRECT_API_BASE_URL: "ftp-secret",
    };
    const problems = problemsOf(settings);
    expect(problems.map((line) => line.split(":")[0])).toEqual([
      "PORT",
      "LOG_LEVEL",
      "DATABASE_URL",
      "DIRECT_API_BASE_URL",
      "SECRET_KEY",
      "DIRECT_API_KEY",
      "CLOUD_ACCESS_KEY_ID",
    ]);
    for (const value of ["seventy", "LOUD-SECRET", "short-secret", "AKIA-SECRET", "ftp-secret"])
      expect(problems.join("\n")).not.toContain(value);
  });

  it("past a pooler name the same database", () => {
    const DIRECT_DATABASE_URL = enough.DATABASE_URL.replace("db.example", "db.example:6432");
    expect(problemsOf({ ...enough, DIRECT_DATABASE_URL })).toEqual([]);
    expect(problemsOf({ ...enough, DIRECT_DATABASE_URL: `${DIRECT_DATABASE_URL}-of-last-year` })).toEqual([
      "DIRECT_DATABASE_URL: must name the same database as DATABASE_URL",
    ]);
    expect(problemsOf({ ...enough, REPORT_DATABASE_URL: `${DIRECT_DATABASE_URL}-of-another` })).toEqual([
      "REPORT_DATABASE_URL: must name the same database as DATABASE_URL, on its replica",
    ]);
  });

  it("of a server that speaks Chat Completions need its address and its model", () => {
    const settings = { ...enough, LLM_PROVIDER: "openai_compatible", LLM_EFFORT: "none" };
    expect(problemsOf(settings)).toEqual([
      "OPENAI_BASE_URL: is required when LLM_PROVIDER is openai_compatible",
      "OPENAI_MODEL: is required when LLM_PROVIDER is openai_compatible",
    ]);
    const whole = { ...settings, OPENAI_BASE_URL: "http://127.0.0.1:11434/v1", OPENAI_MODEL: "qwen3:8b" };
    expect(problemsOf(whole)).toEqual([]);
    expect(problemsOf({ ...enough, LLM_EFFORT: "none" })).toEqual([
      "LLM_EFFORT: may be none only when LLM_PROVIDER is openai_compatible",
    ]);
  });

  it("accept an offset of the clock, in one unit, and none in production or without effect", () => {
    const moved = (CLOCK_OFFSET: string) =>
      loadConfig({ ...enough, ENVIRONMENT: "development", CLOCK_OFFSET }).CLOCK_OFFSET;
    expect([moved("90s"), moved("-2h"), moved("+14d"), moved("1w")]).toEqual([90, -7200, 1_209_600, 604_800]);
    for (const wrong of ["14", "2 weeks", "1y", "99999w"])
      expect(problemsOf({ ...enough, ENVIRONMENT: "staging", CLOCK_OFFSET: wrong }), wrong).toHaveLength(1);
    const inProduction = ["CLOCK_OFFSET: must not be set unless ENVIRONMENT is development or staging"];
    expect(problemsOf({ ...enough, CLOCK_OFFSET: "14d" })).toEqual(inProduction);
    expect(problemsOf({ ...enough, ENVIRONMENT: "production", CLOCK_OFFSET: "14d" })).toEqual(inProduction);
    const atNeon = { ...enough, ENVIRONMENT: "staging", CLOCK_OFFSET: "14d" };
    expect(
      problemsOf({ ...atNeon, DATABASE_URL: "postgresql://a:b@ep-one.eu.aws.neon.tech/db" }),
    ).toHaveLength(1);
    expect(problemsOf({ ...atNeon, NEON_LOCAL_PROXY: "localhost:4444" })).toHaveLength(1);
  });

  it("that are empty count as absent", () => {
    expect(loadConfig({ ...enough, PORT: "", LOG_LEVEL: " " })).toMatchObject({
      PORT: 3000,
      LOG_LEVEL: "INFO",
    });
    expect(problemsOf({ ...enough, DATABASE_URL: "" })).toHaveLength(1);
  });

  it("take an asyncpg address as a PostgreSQL one", () => {
    const address = "postgresql+asyncpg://app:pw@db.example/learning?ssl=require";
    expect(loadConfig({ ...enough, DATABASE_URL: address }).DATABASE_URL).toBe(
      "postgresql://app:pw@db.example/learning?ssl=require",
    );
    expect(problemsOf({ ...enough, DATABASE_URL: "mysql://db.example/learning" })).toHaveLength(1);
  });

  it("take origins as a JSON array or separated by commas", () => {
    const origins = (text: string) =>
      loadConfig({ ...enough, BACKEND_CORS_ORIGINS: text }).BACKEND_CORS_ORIGINS;
    const both = ["https://learn.example.edu", "http://localhost:5173"];
    expect(origins(JSON.stringify(both))).toEqual(both);
    expect(origins(both.join(" , "))).toEqual(both);
    expect(origins("*")).toEqual(["*"]);
    expect(problemsOf({ ...enough, BACKEND_CORS_ORIGINS: "learn.example.edu" })).toHaveLength(1);
    expect(problemsOf({ ...enough, BACKEND_CORS_ORIGINS: "[1]" })).toHaveLength(1);
  });

  it("that could match nothing are brought into form, or stop the start", () => {
    const given = (settings: Record<string, string>) => loadConfig({ ...enough, ...settings });
    const origins = "https://Learn.Example.edu/,https://learn.example.edu:443,http://localhost:5173";
    expect(given({ BACKEND_CORS_ORIGINS: origins }).BACKEND_CORS_ORIGINS).toEqual([
      "https://learn.example.edu",
      "https://learn.example.edu",
      "http://localhost:5173",
    ]);
    for (const wrong of [
      "https://learn.example.edu/app",
      "ftp://learn.example.edu",
      "https://a@b.example.edu",
      "https://*.example.edu",
      "*.example.edu",
    ])
      expect(problemsOf({ ...enough, BACKEND_CORS_ORIGINS: wrong }), wrong).toHaveLength(1);
    const labels = given({ PROTECTED_PROMPT_LABELS: "Production, STAGING" }).PROTECTED_PROMPT_LABELS;
    expect(labels).toEqual(["production", "staging"]);
    for (const wrong of ["no such label", "production, Latest"])
      expect(problemsOf({ ...enough, PROTECTED_PROMPT_LABELS: wrong }), wrong).toHaveLength(1);
  });

  it("reject a short SECRET_KEY everywhere but in development", () => {
    const short = { ...enough, SECRET_KEY: "thirty-one characters, not more" };
    expect(problemsOf(short)).toHaveLength(1);
    expect(problemsOf({ ...short, ENVIRONMENT: "staging" })).toHaveLength(1);
    expect(problemsOf({ ...short, ENVIRONMENT: "development" })).toEqual([]);
  });

  it("take the signing algorithms of HMAC, and no other", () => {
    for (const ALGORITHM of ["HS256", "HS384", "HS512"])
      expect(problemsOf({ ...enough, ALGORITHM })).toEqual([]);
    for (const ALGORITHM of ["none", "RS256", "hs256"])
      expect(problemsOf({ ...enough, ALGORITHM })).toHaveLength(1);
  });

  it("name identity providers in JSON", () => {
    const provider = {
      name: "campus",
      label: "Campus account",
      issuer: "https://id.example.edu",
      client_id: "learning",
      client_secret: "secret",
    };
    const given = (value: unknown) => ({ ...enough, OIDC_PROVIDERS: JSON.stringify(value) });
    expect(loadConfig(given([provider])).OIDC_PROVIDERS).toEqual([provider]);
    expect(problemsOf(given([{ ...provider, name: "Campus Account" }]))).toHaveLength(1);
    expect(problemsOf(given([{ ...provider, name: "x".repeat(65) }]))).toHaveLength(1);
    expect(problemsOf(given([provider, { ...provider, label: "The same name" }]))).toHaveLength(1);
    expect(problemsOf({ ...enough, OIDC_PROVIDERS: "campus" })).toHaveLength(1);
    const insecure = given([{ ...provider, issuer: "http://id.example.edu" }]);
    expect(problemsOf(insecure)).toHaveLength(1);
    expect(problemsOf({ ...insecure, ENVIRONMENT: "development" })).toEqual([]);
  });

  it("take the public address with and without its last slash", () => {
    for (const PUBLIC_URL of ["https://learn.example.edu/lms", "https://learn.example.edu/lms/"])
      expect(loadConfig({ ...enough, PUBLIC_URL }).PUBLIC_URL).toBe("https://learn.example.edu/lms");
    expect(problemsOf({ ...enough, PUBLIC_URL: "learn.example.edu" })).toHaveLength(1);
  });

  it("name a folder or a bucket for files, and on Lambda no folder", () => {
    const storeOf = (FILE_STORE: string) => loadConfig({ ...enough, FILE_STORE }).FILE_STORE;
    expect(loadConfig(enough).FILE_STORE).toBeUndefined();
    expect(storeOf("folder:/srv/files")).toEqual({ kind: "folder", path: "/srv/files" });
    const aws = {
      kind: "s3",
      bucket: "learn-files",
      region: "eu-west-2",
      endpoint: undefined,
      pathStyle: false,
    };
    expect(storeOf("s3://learn-files?region=eu-west-2")).toEqual(aws);
    const endpoint = "https://0123.r2.cloudflarestorage.com";
    expect(storeOf(`s3://learn-files?region=auto&endpoint=${endpoint}&path_style=true`)).toEqual({
      ...{ ...aws, region: "auto", endpoint, pathStyle: true },
    });
    for (const wrong of [
      ...[
        "/srv/files",
        "folder:",
        "s3://learn-files",
        "s3://?region=a",
        "s3://UPPER?region=a",
        "https://a.example",
      ],
      ...["s3://learn-files?region=a&endpoint=a.example", "s3://learn-files?region=a&path_style=yes"],
      ...[
        "s3://learn-files?region=a&key=secret",
        "s3://learn-files?region=a&endpoint=https://a.example/path",
      ],
    ])
      expect(problemsOf({ ...enough, FILE_STORE: wrong }), wrong).toHaveLength(1);
    const onLambda = { ...enough, FILE_STORE: "folder:/tmp/files", AWS_LAMBDA_FUNCTION_NAME: "files" };
    expect(problemsOf(onLambda)).toEqual([
      "FILE_STORE: must be s3://… on Lambda, where folders are temporary",
    ]);
  });

  it("may lack secrets of other functions on Lambda, and nowhere else", () => {
    for (const lacking of [{ LLM_PROVIDER: "direct_api" }, { CLOUD_ACCESS_KEY_ID: "AKIA" }]) {
      const given = { ...enough, ...lacking };
      expect(problemsOf(given)).toHaveLength(1);
      expect(problemsOf({ ...given, AWS_LAMBDA_FUNCTION_NAME: "users" })).toEqual([]);
    }
  });

  it("name a scanner with its port", () => {
    expect(loadConfig({ ...enough, FILE_SCANNER: "clamd://scan.example:3310" }).FILE_SCANNER).toBe(
      "clamd://scan.example:3310",
    );
    for (const FILE_SCANNER of ["clamd://scan.example", "http://scan.example:3310", "scan.example:3310"])
      expect(problemsOf({ ...enough, FILE_SCANNER }).length, FILE_SCANNER).toBeGreaterThan(0);
  });

  it("are all in .env.example, with their purpose, and no others", () => {
    const lines = readFileSync(new URL("../../.env.example", import.meta.url), "utf8").split("\n");
    const named = lines.flatMap((line) => /^(\w+)=$/.exec(line)?.[1] ?? []);
    const own = settingNames.filter((name) => name !== "AWS_LAMBDA_FUNCTION_NAME");
    expect(named).toEqual([...own, ...ignoredFrontendSettingNames]);
    expect(lines.filter((line) => line !== "" && !line.startsWith("#"))).toHaveLength(named.length);
  });

  it("are the same for all of a frontend's settings", () => {
    const ofFrontend = Object.fromEntries(
      ignoredFrontendSettingNames.map((name) => [name, "https://no domain:x"]),
    );
    expect(loadConfig({ ...enough, ...ofFrontend })).toEqual(loadConfig(enough));
    expect(loadConfig({ SECRET_SETTINGS: JSON.stringify({ ...enough, ...ofFrontend }) })).toEqual(
      loadConfig(enough),
    );
  });
});

describe("secret settings", () => {
  it("come as one JSON object, and separate variables override them", () => {
    const providers = [
      { name: "campus", label: "Campus", issuer: "https://id.example", client_id: "a", client_secret: "b" },
    ];
    const secret = {
      ...enough,
      ACCESS_TOKEN_EXPIRE_MINUTES: 5,
      LOG_LEVEL: "ERROR",
      OIDC_PROVIDERS: providers,
    };
    const config = loadConfig({ SECRET_SETTINGS: JSON.stringify(secret), LOG_LEVEL: "DEBUG", APP_NAME: "" });
    expect(config).toMatchObject({
      DATABASE_URL: enough.DATABASE_URL,
      ACCESS_TOKEN_EXPIRE_MINUTES: 5,
      LOG_LEVEL: "DEBUG",
      OIDC_PROVIDERS: providers,
    });
  });

  it("that are no JSON object are reported with every other problem, and are not shown", () => {
    const problems = problemsOf({ SECRET_SETTINGS: "password=hunter2" });
    expect(problems).toContain("SECRET_SETTINGS: must be a JSON object of settings");
    expect(problems.join("\n")).toMatch(/DATABASE_URL: is required/);
    expect(problems.join("\n")).not.toContain("hunter2");
  });
});
