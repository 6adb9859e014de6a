import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { secretGroups } from "../../scripts/ops/deployment/secret-groups.ts";
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
  it("lead from functions to lib to schema, never back", () => {
    expect(breaches(filesIn("lib/**/*.ts"), (target) => target.startsWith("functions/"))).toEqual([]);
    expect(breaches(filesIn("schema/**/*.ts"), (target) => /^(functions|lib)\//.test(target))).toEqual([]);
  });

  it("never lead from a reading thread, which starts for each file, to a package of the database", () => {
    const readers = filesIn("lib/**/*.ts").filter((file) =>
      /^serveReadTasks?AsWorker\(/m.test(readFileSync(path.join(root, file), "utf8")),
    );
    expect(readers.length).toBeGreaterThan(8);
    const ofDatabase = (reader: string) =>
      [...reachableFrom(reader)].filter(
        (target) => isPackage(target, "drizzle-orm") || isPackage(target, "pg"),
      );
    for (const reader of readers) expect(ofDatabase(reader), reader).toEqual([]);
  });

  it("never lead from functions to the server, scripts, proofs or tests", () => {
    expect(breaches(shipped, (target) => /^(proof|scripts|server|tests)\//.test(target))).toEqual([]);
  });

  it("lead to the readers of uploaded files from worker threads only", () => {
    const threads = filesIn("lib/**/*-reader.ts").filter((file) =>
      readFileSync(path.join(root, file), "utf8").match(/serveReadTasks?AsWorker\(/),
    );
    const readers = threads.flatMap((file) =>
      importsOf(file, { types: false }).filter((target) => !target.endsWith("/reader-thread.ts")),
    );
    expect(readers.length).toBeGreaterThan(8);
    const others = shipped.filter((file) => !threads.includes(file));
    expect(breaches(others, (target) => readers.includes(target), false)).toEqual([]);
  });

  it("never reach scripts, proofs or tests from the server", () => {
    const server = filesIn("server/**/*.{ts,mjs}");
    expect(server.length).toBeGreaterThan(10);
    expect(breaches(server, (target) => /^(proof|scripts|tests)\//.test(target))).toEqual([]);
  });

  it("lead to nothing outside of the image from its files, except a local database if there is one", () => {
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
    expect(breaches(filesIn("schema/api/**/*.ts"), (target) => target.startsWith("schema/db/"))).toEqual([]);
    expect(breaches(filesIn("schema/db/**/*.ts"), (target) => target.startsWith("schema/api/"))).toEqual([]);
  });

  it("keep SQL out of handlers", () => {
    const isSql = (target: string) => isPackage(target, "drizzle-orm") || target.startsWith("schema/db/");
    expect(breaches(filesIn("functions/**/*.ts"), isSql)).toEqual([]);
  });

  it("keep HTTP out of the domain", () => {
    const domain = filesIn("lib/**/*.ts").filter(
      (file) => !/^lib\/(http\/|identity\/auth\/cookies\.ts)/.test(file),
    );
    expect(breaches(domain, (target) => isPackage(target, "hono"))).toEqual([]);
  });

  it("keep route groups apart", () => {
    const groupOf = (file: string) => /^functions\/[^/]+\/([^/]+)\//.exec(file)?.[1];
    const files = filesIn("functions/*/*/**/*.ts");
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
      "lib/assessment/certificates/signing-keys.ts → jose",
      "lib/identity/auth/sealing.ts → jose",
      "lib/integrations/lti-tools/tool-jwt.ts → jose",
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

/** The rooms of lib, each with those that it imports, types included: a new one is a decision. */
const rooms: Record<string, readonly string[]> = {
  platform: [],
  identity: ["platform"],
  http: ["identity", "platform"],
  courses: ["identity", "platform"],
  assessment: ["courses", "identity", "platform"],
  community: ["courses", "identity", "platform"],
  tutor: ["assessment", "community", "courses", "identity", "platform"],
  files: ["assessment", "courses", "identity", "platform"],
  integrations: ["assessment", "courses", "files", "identity", "platform"],
  operations: ["assessment", "community", "courses", "identity", "integrations", "platform", "tutor"],
};

/** A file next to the rooms of lib, a room, or a folder of a room: `courses/catalog`. */
const partOf = (file: string): string => {
  const [, room = "", ...rest] = file.split("/");
  return rest.length > 1 ? `${room}/${rest[0]}` : room;
};

const roomOf = (part: string): string => part.split("/")[0] ?? "";

/** The imports of each part of lib from other parts, types included. */
function importsWithinLib(): Map<string, Set<string>> {
  const parts = new Map<string, Set<string>>();
  for (const file of filesIn("lib/**/*.ts")) {
    const part = partOf(file);
    const targets = importsOf(file, { types: true }).filter((target) => target.startsWith("lib/"));
    const others = targets.map(partOf).filter((target) => target !== part);
    parts.set(part, new Set([...(parts.get(part) ?? []), ...others]));
  }
  return parts;
}

/** The folders of a layer that are directly below it. */
const foldersIn = (layer: string): string[] =>
  readdirSync(path.join(root, layer), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

describe("the rooms", () => {
  const parts = importsWithinLib();
  const isFile = (part: string) => part.endsWith(".ts");

  it("are the same in each layer", () => {
    const names = Object.keys(rooms);
    expect(foldersIn("lib").sort()).toEqual(names.toSorted());
    const layers = [
      "schema/db",
      "schema/api",
      "schema/functions",
      "functions",
      "tests/api",
      "tests/db/functions",
    ];
    const others = layers.flatMap((layer) =>
      foldersIn(layer)
        .filter((name) => !names.includes(name))
        .map((name) => `${layer}/${name}`),
    );
    expect(others).toEqual([]);
  });

  it("import only the rooms listed here", () => {
    const imported = Object.fromEntries(Object.keys(rooms).map((room) => [room, new Set<string>()]));
    for (const [part, targets] of parts)
      for (const target of targets)
        if (!isFile(target) && !isFile(part) && roomOf(target) !== roomOf(part))
          imported[roomOf(part)]?.add(roomOf(target));
    expect(
      Object.fromEntries(Object.entries(imported).map(([room, set]) => [room, [...set].sort()])),
    ).toEqual(rooms);
  });

  it("do not import the table of jobs: the runners of jobs do", () => {
    expect([...parts.keys()].filter((part) => parts.get(part)?.has("platform/jobs"))).toEqual([]);
  });

  it("are not imported by the files next to them, except the platform", () => {
    const targets = [...parts].filter(([part]) => isFile(part)).flatMap(([, imported]) => [...imported]);
    expect(targets.filter((target) => !isFile(target) && roomOf(target) !== "platform")).toEqual([]);
  });

  it("and their folders never import each other in a circle", () => {
    expect(circlesIn(parts)).toEqual([]);
  });

  it("have no files that import each other in a circle, be it for a type", () => {
    const imports = filesIn("{functions,lib,schema,server}/**/*.ts").map(
      (file) => [file, new Set(importsOf(file, { types: true }))] as const,
    );
    expect(circlesIn(new Map(imports))).toEqual([]);
  });

  it("leave the database's driver to the platform and to the code that opens it", () => {
    const ofRooms = filesIn("lib/*/**/*.ts").filter(
      (file) => !/^lib\/(platform|http|identity\/auth)\//.test(file),
    );
    expect(breaches(ofRooms, (target) => target.startsWith("lib/platform/db/driver/"))).toEqual([]);
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
        (target, file) =>
          /^lib\/platform\/db\/(driver|migrations)\//.test(target) && file.includes("/query/"),
      ),
    ).toEqual([]);
  });
});

describe("rows of raw statements", () => {
  it("are typed by the schema that checks them, never by an assertion", () => {
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
  const handlers = filesIn("functions/*/*/handler.ts");
  const nameOf = (handler: string) => path.basename(path.dirname(handler));
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

  it("receive the secrets whose settings they read, and no others", () => {
    const readersOf = (setting: string) =>
      shipped.filter(
        (file) =>
          !/^lib\/(config|platform\/secrets\/hide-secrets)\.ts$/.test(file) &&
          new RegExp(`(?<!Config\\[")\\b${setting}\\b`).test(readFileSync(path.join(root, file), "utf8")),
      );
    const reached = handlers.map((handler) => ({ handler, files: reachableFrom(handler) }));
    for (const { functions, settings } of Object.values(secretGroups))
      for (const setting of settings) {
        const readers = readersOf(setting);
        expect(readers, setting).not.toEqual([]);
        const reaching = reached.flatMap(({ handler, files }) =>
          readers.some((reader) => files.has(reader)) ? [handler] : [],
        );
        expect(reaching.map(nameOf).toSorted(), setting).toEqual(functions.toSorted());
      }
  });

  it("each carry their own group, or none, and no other", () => {
    for (const handler of handlers) {
      const groups = [...reachableFrom(handler)].filter((target) =>
        /^functions\/[^/]+\/[^/]+\/app\.ts$/.test(target),
      );
      const own = `${path.dirname(handler)}/app.ts`;
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
