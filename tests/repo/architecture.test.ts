import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { projectsOf } from "../../vitest.config.ts";

const root = path.resolve(import.meta.dirname, "../..");

const filesIn = (pattern: string): string[] => globSync(pattern, { cwd: root }).sort();

const shipped = ["functions", "lib", "schema"].flatMap((layer) => filesIn(`${layer}/**/*.ts`));

/** A file's imports at run time, and its type-only imports: project paths from the root, or package names. */
function importsOf(file: string, { types }: { types: boolean }): string[] {
  const source = readFileSync(path.join(root, file), "utf8");
  const statements = source.matchAll(
    /^(?:import|export)\s(?!type\s)[^;]*?from\s+"([^"]+)"|(?<!typeof )\bimport\(\s*"([^"]+)"/gm,
  );
  const ofTypes = source.matchAll(
    /^(?:import|export)\stype\s[^;]*?from\s+"([^"]+)"|\btypeof import\(\s*"([^"]+)"/gm,
  );
  return [...statements, ...(types ? ofTypes : [])]
    .map(([, fixed, dynamic]) => fixed ?? dynamic ?? "")
    .map((target) => (target.startsWith(".") ? path.join(path.dirname(file), target) : target));
}

/** `file → target` for each import of these files that breaks a rule. */
const breaches = (
  files: string[],
  forbidden: (target: string, file: string) => boolean,
  types = true,
): string[] =>
  files.flatMap((file) =>
    importsOf(file, { types })
      .filter((target) => forbidden(target, file))
      .map((target) => `${file} → ${target}`),
  );

const isPackage = (target: string, name: string): boolean => target === name || target.startsWith(`${name}/`);

/** All files that the Dockerfile's last stage copies from the repository. */
function imageFiles(): string[] {
  const dockerfile = readFileSync(path.join(root, "Dockerfile"), "utf8").replaceAll("\\\n", " ");
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
  const copied = [...lastStage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = ""]) =>
    sources.trim().split(/\s+/),
  );
  return copied.flatMap((source) => [source, ...filesIn(`${source}/**/*.*`)]);
}

/** All files and packages that a file reaches at run time. Import paths in a test's script text differ. */
function reachableFrom(start: string): Set<string> {
  const reached = new Set([start]);
  for (const file of reached)
    if (/\.ts$/.test(file) && existsSync(path.join(root, file)))
      for (const target of importsOf(file, { types: false })) reached.add(target);
  return reached;
}

/** The files in or above import cycles: repeatedly removes files without imports. */
function circlesIn(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const left = new Map(imports);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [part, targets] of left)
      if (![...targets].some((target) => left.has(target))) left.delete(part);
  }
  return [...left.keys()];
}

describe("imports", () => {
  it("go from functions to lib to schema, never back", () => {
    expect(breaches(filesIn("lib/**/*.ts"), (target) => target.startsWith("functions/"))).toEqual([]);
    expect(breaches(filesIn("schema/**/*.ts"), (target) => /^(functions|lib)\//.test(target))).toEqual([]);
  });

  it("never reach the server, scripts, proofs or tests from what functions are made of", () => {
    expect(breaches(shipped, (target) => /^(proof|scripts|server|tests)\//.test(target))).toEqual([]);
  });

  it("never reach scripts, proofs or tests from the server", () => {
    const server = filesIn("server/**/*.{ts,mjs}");
    expect(server.length).toBeGreaterThan(10);
    expect(breaches(server, (target) => /^(proof|scripts|tests)\//.test(target))).toEqual([]);
  });

  it("reach nothing that the image lacks from what it carries, but a local database where there is one", () => {
    const carried = imageFiles().filter((file) => /\.(ts|mjs)$/.test(file));
    expect(carried).toContain("server/primary.ts");
    expect(carried).toContain("scripts/start.ts");
    const isLacking = (target: string) => /\.(ts|mjs)$/.test(target) && !carried.includes(target);
    expect(breaches(carried, isLacking)).toEqual(["scripts/ops/database.ts → scripts/dev/local-database.ts"]);
    expect(carried.filter((file) => /^(proof|scripts\/(build|dev)|tests)\//.test(file))).toEqual([]);
  });

  it("never reach the service from the web application, which is a client of it", () => {
    const app = filesIn("app/src/**/*.{ts,tsx}");
    expect(app.length).toBeGreaterThan(100);
    const isService = (target: string) => /^(functions|lib|proof|schema|scripts|server|tests)\//.test(target);
    expect(breaches(app, isService)).toEqual([]);
  });

  it("never run in a circle within the web application, be it for a type", () => {
    const app = filesIn("app/src/**/*.{ts,tsx}");
    expect(circlesIn(new Map(app.map((file) => [file, new Set(importsOf(file, { types: true }))])))).toEqual(
      [],
    );
  });

  it("leave the generator of the API document to the build", () => {
    const isGenerator = (target: string) => /^@(hono|asteasolutions)\/zod-(to-)?openapi/.test(target);
    expect(breaches(shipped, isGenerator)).toEqual([]);
    expect(breaches(filesIn("scripts/build/openapi/*.ts"), isGenerator)).not.toEqual([]);
  });

  it("keep requests and tables apart", () => {
    expect(breaches(filesIn("schema/api/*.ts"), (target) => target.startsWith("schema/db/"))).toEqual([]);
    expect(breaches(filesIn("schema/db/*.ts"), (target) => target.startsWith("schema/api/"))).toEqual([]);
  });

  it("keep SQL out of handlers", () => {
    const isSql = (target: string) => isPackage(target, "drizzle-orm") || target.startsWith("schema/db/");
    expect(breaches(filesIn("functions/**/*.ts"), isSql)).toEqual([]);
  });

  it("keep HTTP out of the domain", () => {
    const domain = filesIn("lib/**/*.ts").filter((file) => !/^lib\/(http\/|auth\/cookies\.ts)/.test(file));
    expect(breaches(domain, (target) => isPackage(target, "hono"))).toEqual([]);
  });

  it("keep route groups apart", () => {
    const groupOf = (file: string) => /^functions\/([^/]+)\//.exec(file)?.[1];
    const files = filesIn("functions/*/**/*.ts");
    const ofAnother = (target: string, file: string) =>
      target.startsWith("functions/") && groupOf(target) !== groupOf(file);
    expect(breaches(files, ofAnother)).toEqual([]);
  });

  it("bring each third-party client in at one place", () => {
    const clients = [
      "bcryptjs",
      "csv-parse",
      "fast-xml-parser",
      "fflate",
      "ical-generator",
      "mammoth",
      "nodemailer",
      "openai",
      "openid-client",
      "pdfkit",
      "pino",
      "prom-client",
      "rotating-file-stream",
      "ts-fsrs",
      "unpdf",
      "xml-crypto",
      "@anthropic-ai/sdk",
      "@aws-sdk/client-bedrock-runtime",
      "@aws-sdk/client-s3",
      "@aws-sdk/client-secrets-manager",
      "@aws-sdk/credential-provider-node",
      "@aws-sdk/s3-request-presigner",
      "@opentelemetry/sdk-trace",
      "@xmldom/xmldom",
      "@opentelemetry/exporter-trace-otlp-http",
      "hono/aws-lambda",
    ];
    for (const client of clients)
      expect(
        breaches(shipped, (target) => isPackage(target, client), false),
        client,
      ).toHaveLength(1);
    const ofPg = breaches(shipped, (target) => target === "pg", false);
    expect(ofPg).toEqual(["lib/platform/db/driver/pg-driver.ts → pg"]);
    // It is behind the only import of the Neon driver, which functions with another database do not load.
    const ofNeon = breaches(shipped, (target) => isPackage(target, "@neondatabase/serverless"), false);
    expect(ofNeon).toEqual(
      ["neon-batch", "neon-client", "neon-driver", "tunnel-socket"].map(
        (file) => `lib/platform/db/driver/${file}.ts → @neondatabase/serverless`,
      ),
    );
    const ofJose = breaches(shipped, (target) => target === "jose", false);
    expect(ofJose).toEqual([
      "lib/identity/auth/sealing.ts → jose",
      "lib/assessment/certificates/signing-keys.ts → jose",
      "lib/integrations/lti/id-token.ts → jose",
      "lib/integrations/lti/signing.ts → jose",
      "lib/platform/secrets/signing-key-pair.ts → jose",
      "lib/platform/secrets/tokens.ts → jose",
    ]);
  });

  it("have no barrels: index files that only pass on", () => {
    expect(shipped.filter((file) => path.basename(file) === "index.ts")).toEqual([]);
  });
});

/** Foundation folders, each with the others that it imports. */
const foundations: Record<string, readonly string[]> = {
  async: ["db"],
  caching: [],
  db: ["caching", "results"],
  "file-store": ["secrets", "validation"],
  jobs: ["async", "logging", "schedule"],
  llm: ["async", "caching", "file-store", "logging", "validation"],
  logging: ["async", "secrets"],
  mail: ["async", "db", "logging"],
  metrics: ["async", "db", "logging"],
  rbac: [],
  readers: ["async"],
  results: [],
  secrets: [],
  statistics: [],
  text: [],
  validation: [],
  schedule: ["db"],
  auth: ["async", "caching", "db", "mail", "rbac", "secrets", "text"],
  http: ["async", "auth", "db", "logging", "metrics", "rbac", "results", "secrets", "validation"],
};

/** Domains, each with the others that it imports. */
const domains: Record<string, readonly string[]> = {
  accounts: ["api-keys", "audit", "chat", "identities", "notifications", "universities", "users"],
  activity: ["users"],
  analytics: ["course-progress", "universities", "users"],
  "api-keys": ["audit", "universities"],
  assessments: ["audit", "content", "courses", "identities", "users"],
  audit: ["users"],
  batches: [],
  budgets: ["universities"],
  calendar: [],
  cartridges: ["assessments", "content", "courses", "files"],
  catalog: ["courses"],
  certificates: ["audit", "courses", "identities", "users"],
  chat: [
    "assessments",
    "budgets",
    "community",
    "content",
    "courses",
    "dialogue",
    "generations",
    "modules",
    "passages",
    "prompts",
    "users",
  ],
  community: ["activity", "audit", "content", "course-progress", "courses", "identities", "modules", "users"],
  content: ["audit", "courses", "modules"],
  "course-progress": [],
  courses: [],
  credentials: ["universities"],
  "data-requests": ["accounts", "assessments", "audit", "identities", "universities", "users"],
  dialogue: [],
  enrollments: ["audit", "course-progress", "courses", "identities", "universities", "users"],
  "event-feed": ["universities", "users"],
  "feature-requests": ["users"],
  files: ["assessments", "audit", "community", "content", "courses"],
  generations: ["budgets", "dialogue"],
  groups: ["audit", "community", "courses", "users"],
  home: ["community", "course-progress", "courses", "notifications", "offerings", "users"],
  identities: ["users"],
  imports: ["audit", "identities", "universities"],
  looks: [],
  lti: ["audit", "courses", "offerings", "universities"],
  modules: ["courses"],
  notifications: ["courses"],
  offerings: ["course-progress", "courses", "groups", "identities", "modules", "universities", "users"],
  passages: [],
  progress: ["activity", "content", "courses", "modules"],
  prompts: ["audit", "courses", "users"],
  retention: ["audit", "identities", "universities"],
  rollouts: ["chat", "prompts", "warming"],
  saml: [],
  scim: ["universities"],
  study: ["activity", "content", "courses"],
  trials: ["batches", "chat", "content", "courses", "dialogue", "generations", "prompts"],
  "tutor-inbox": ["chat", "community", "courses"],
  "tutor-steps": ["audit", "content", "courses"],
  universities: ["audit", "courses", "identities", "looks", "saml", "users"],
  upkeep: [
    "accounts",
    "analytics",
    "api-keys",
    "audit",
    "budgets",
    "cartridges",
    "chat",
    "data-requests",
    "imports",
    "lti",
    "notifications",
    "passages",
    "scim",
  ],
  users: ["course-progress", "looks"],
  warming: ["batches", "budgets", "chat", "content", "courses", "generations", "prompts"],
};

/** Imports between folders and top-level files of lib, including types. */
function importsWithinLib(): Map<string, Set<string>> {
  const partOf = (file: string) => file.split("/")[1] ?? "";
  const parts = new Map<string, Set<string>>();
  for (const file of filesIn("lib/**/*.ts")) {
    const part = partOf(file);
    const targets = importsOf(file, { types: true }).filter((target) => target.startsWith("lib/"));
    const others = targets.map(partOf).filter((target) => target !== part);
    parts.set(part, new Set([...(parts.get(part) ?? []), ...others]));
  }
  return parts;
}

describe("the parts of lib", () => {
  const parts = importsWithinLib();
  const isFile = (part: string) => part.endsWith(".ts");
  const importsAmong = (folders: string[], listed: Record<string, readonly string[]>) =>
    Object.fromEntries(
      folders.map((part) => [part, [...(parts.get(part) ?? [])].filter((target) => target in listed).sort()]),
    );

  it("are listed here, each with the domains that it imports: a new one is a decision", () => {
    const folders = [...parts.keys()].filter((part) => !isFile(part));
    expect(folders.sort()).toEqual([...Object.keys(foundations), ...Object.keys(domains)].sort());
    expect(importsAmong(Object.keys(domains), domains)).toEqual(domains);
  });

  it("stand on foundations that know no domain, and of which HTTP is for handlers alone", () => {
    expect(importsAmong(Object.keys(foundations), { ...foundations, ...domains })).toEqual(foundations);
    const onHttp = Object.keys(domains).filter((domain) => parts.get(domain)?.has("http"));
    expect(onHttp).toEqual([]);
  });

  it("know nothing of the jobs that do their work: only who runs them does", () => {
    expect([...parts.keys()].filter((part) => parts.get(part)?.has("jobs"))).toEqual([]);
  });

  it("find no domain behind the files beside them, `deps.ts` first of all", () => {
    const files = [...parts.keys()].filter(isFile);
    const knowing = files.filter((file) => [...(parts.get(file) ?? [])].some((target) => target in domains));
    expect(knowing).toEqual([]);
  });

  it("never import each other in a circle", () => {
    expect(circlesIn(parts)).toEqual([]);
  });

  it("have no files that import each other in a circle, be it for a type", () => {
    const imports = filesIn("{functions,lib,schema,server}/**/*.ts").map(
      (file) => [file, new Set(importsOf(file, { types: true }))] as const,
    );
    expect(circlesIn(new Map(imports))).toEqual([]);
  });

  it("leave the database's driver to the foundations and to who opens it", () => {
    const ofDomains = filesIn("lib/**/*.ts").filter((file) => (file.split("/")[1] ?? "") in domains);
    expect(breaches(ofDomains, (target) => target.startsWith("lib/platform/db/driver/"))).toEqual([]);
    const below = filesIn("lib/platform/db/{driver,query}/*.ts");
    expect(
      breaches(
        below,
        (target, file) => target.startsWith("lib/platform/db/query/") && file.includes("/driver/"),
      ),
    ).toEqual([]);
    expect(
      breaches(
        below,
        (target, file) => /^lib\/db\/(driver|migrations)\//.test(target) && file.includes("/query/"),
      ),
    ).toEqual([]);
  });
});

describe("rows of raw statements", () => {
  it("are typed by the schema that they are held against, never by an assertion", () => {
    const asserting = [...shipped, ...filesIn("{server,scripts,proof}/**/*.ts")]
      .filter((file) => !file.startsWith("lib/platform/db/"))
      .filter((file) => /\.execute\s*</.test(readFileSync(path.join(root, file), "utf8")));
    expect(asserting).toEqual([]);
  });
});

describe("the environment", () => {
  it("is read by lib/config.ts alone", () => {
    const readers = shipped.filter((file) =>
      readFileSync(path.join(root, file), "utf8").includes("process.env"),
    );
    expect(readers).toEqual(["lib/config.ts"]);
  });
});

describe("functions", () => {
  const handlers = filesIn("functions/*/handler.ts");
  const nameOf = (handler: string) => handler.split("/")[1] ?? "";
  const llmClients = ["@anthropic-ai/sdk", "@aws-sdk/client-bedrock-runtime", "openai"];

  it("reach the LLM's clients from chat, warming and admin alone", () => {
    const reaching = handlers.filter((handler) => {
      const reached = reachableFrom(handler);
      return [...reached].some((target) => llmClients.some((client) => isPackage(target, client)));
    });
    expect(reaching.map(nameOf).filter((name) => name !== "admin")).toEqual(["chat", "trials", "warming"]);
  });

  it("reach identity providers from auth alone", () => {
    const reaching = handlers.filter((handler) => reachableFrom(handler).has("openid-client"));
    expect(reaching.map(nameOf)).toEqual(["auth"]);
  });

  it("each carry their own group, or none, and no other", () => {
    for (const handler of handlers) {
      const groups = [...reachableFrom(handler)].filter((target) =>
        /^functions\/[^/]+\/app\.ts$/.test(target),
      );
      const own = `functions/${nameOf(handler)}/app.ts`;
      expect(groups).toEqual(existsSync(path.join(root, own)) ? [own] : []);
    }
  });

  it("never carry the list of all groups", () => {
    for (const handler of handlers) expect([...reachableFrom(handler)]).not.toContain("functions/groups.ts");
  });
});

describe("tests", () => {
  const tests = filesIn("tests/**/*.test.ts");

  it("lie in a folder that a project runs", () => {
    const included = projectsOf({ exhaustive: true }).flatMap(({ test }) => test.include);
    const forgotten = tests.filter((file) => !included.some((pattern) => path.matchesGlob(file, pattern)));
    expect(forgotten).toEqual([]);
  });

  it("that are pure reach no database", () => {
    const database = ["tests/support/database.ts", "scripts/dev/postgres.ts"];
    for (const file of tests.filter((test) => test.startsWith("tests/unit/")))
      expect(
        [...reachableFrom(file)].filter((target) => database.includes(target)),
        file,
      ).toEqual([]);
  });
});
