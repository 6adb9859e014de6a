import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../../..");

const uses = {
  hono: "HTTP: routes, requests and responses",
  "@hono/zod-openapi": "builds the API document from the contracts, before the service is packaged",
  "@hono/swagger-ui": "renders `/docs`",
  zod: "schemas of requests, responses, settings and stored JSON",
  "@neondatabase/serverless": "carries connections to Neon, over WebSocket",
  "drizzle-orm": "tables, statements and migrations",
  jose: "signs and verifies tokens",
  bcryptjs: "hashes passwords",
  "@aws-sdk/client-bedrock-runtime": "the tutor's model on Amazon Bedrock",
  "@aws-sdk/client-secrets-manager": "stored credentials of the cloud",
  "@types/aws-lambda": "types of the Lambda handlers and their events",
  serverless: "packages and deploys the functions",
  "serverless-esbuild": "bundles each function",
  vitest: "runs the tests",
};

/** A folder with more files is listed by its name. */
const maxFilesNamedPerFolder = 3;

/** Files that use a package by name, without an import. */
const configured: Record<string, Record<string, RegExp>> = {
  serverless: { "package.json": /"serverless (package|deploy)"/ },
  "serverless-esbuild": { "serverless.yml": /^ {2}- serverless-esbuild$/m },
};

type Manifest = Record<"dependencies" | "devDependencies", Record<string, string>>;

/** `docs/reference/packages.md`. An unused package is an error. */
export function writePackages(): string {
  const manifest: Manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const files = globSync(
    "{app,client,functions,lib,plugins,proof,schema,scripts,server,tests}/**/*.{ts,tsx,mjs}",
    {
      cwd: root,
      exclude: ["**/node_modules/**", "**/vendor/**", "app/built/**"],
    },
  );
  const imports = importsOf([...files, "vitest.config.ts"].sort());
  const rows = Object.entries(uses).map(([name, use]) => {
    const [kind, version] = versionOf(manifest, name);
    const places = [...configuredIn(name), ...(imports.get(name) ?? [])];
    if (places.length === 0) throw new Error(`${name} is not used`);
    return `| \`${name}\` | ${version} | ${kind} | ${use} | ${placesOf(places).join(", ")} |`;
  });
  return `${heading}${rows.join("\n")}\n`;
}

const heading = `# Packages

After this page you know the main packages of the service, and where they are used.

\`npm run generate packages\` writes this page from package.json and the import lines.

| Package | Version | Dependency | Use | Where |
| --- | --- | --- | --- | --- |
`;

function versionOf(
  { dependencies, devDependencies }: Manifest,
  name: string,
): [kind: string, version: string] {
  const [kind, version] = dependencies[name]
    ? ["run time", dependencies[name]]
    : ["development", devDependencies[name]];
  if (!version) throw new Error(`${name} is not a dependency`);
  return [kind, version];
}

function importsOf(files: readonly string[]): Map<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const file of files)
    for (const [, target = ""] of readFileSync(path.join(root, file), "utf8").matchAll(importOrExport)) {
      const name = /^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target;
      // Separate type packages count for the package's name.
      const owner = name === "aws-lambda" ? "@types/aws-lambda" : name;
      found.set(owner, (found.get(owner) ?? new Set()).add(file));
    }
  return new Map([...found].map(([name, places]) => [name, [...places]]));
}

const importOrExport = /(?:^(?:import|export)\s[^"';]*?from\s+|^import\s+|\bimport\()"([^".][^"]*)"/gm;

const configuredIn = (name: string): string[] =>
  Object.entries(configured[name] ?? {})
    .filter(([file, use]) => use.test(readFileSync(path.join(root, file), "utf8")))
    .map(([file]) => file);

/** Files, or their folder if there are many: the table changes less often than the code. */
function placesOf(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, (file) => file.split("/")[0] ?? file);
  const places = [...folders.values()].flatMap((inside) =>
    inside.length > maxFilesNamedPerFolder ? [sharedFolder(inside)] : inside,
  );
  return places.map((place) => `[${place}](../../${place})`);
}

function sharedFolder(files: readonly string[]): string {
  const [first = [], ...others] = files.map((file) => path.dirname(file).split("/"));
  const end = first.findIndex((part, at) => others.some((parts) => parts[at] !== part));
  return first.slice(0, end === -1 ? undefined : end).join("/");
}
