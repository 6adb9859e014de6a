import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { folderOf, type PackagedService, unpackFunction } from "./package-service.ts";

const rounds = 10;
const root = path.resolve(import.meta.dirname, "../..");

/**
 * The baseline: a minimal function on the same framework, including the fetch classes that every function
 * loads with its first request.
 */
const baselineSource = `
import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
export const handler = handle(new Hono().get("/", (c) => c.text("Hello")));
new Response(new Request("https://localhost").body);
`;

/** Prints the CPU milliseconds of an import, without Node's start. */
const importing = `
const before = process.cpuUsage();
await import(process.argv[1]);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
process.exit(0);
`;

/** Settings that every function needs to start; the database is not contacted before the first request. */
const settings = {
  SECRET_SETTINGS: JSON.stringify({
    DATABASE_URL: "postgresql://app:password@ep-measured.eu-west-2.aws.neon.tech/learning",
    SECRET_KEY: "a secret for measuring, with enough characters",
    DIRECT_API_KEY: "key-for-measuring",
  }),
  LLM_PROVIDER: "direct_api",
  // In the template these refer to its buckets and role.
  FILE_STORE: "s3://measured?region=eu-west-2",
  CLOUD_BATCH_BUCKET: "",
  CLOUD_BATCH_ROLE_ARN: "",
};

type Bundle = { file: string; environment: Record<string, string> };

/** CPU milliseconds of importing each function, without Node's start, and those of the baseline. */
export async function measureImports(packaged: PackagedService) {
  const names = Object.keys(packaged.service.functions);
  const bundles = await Promise.all(names.map((name) => unpack(packaged, name)));
  const baseline = await buildBaseline(path.dirname(packaged.folder));
  const [baselineMs = 0, ...times] = await medianImports([baseline, ...bundles]);
  return { baselineMs, importMs: new Map(names.map((name, at) => [name, times[at] ?? 0])) };
}

async function unpack(packaged: PackagedService, name: string): Promise<Bundle> {
  return {
    file: path.join(await unpackFunction(packaged, name), `${folderOf(packaged, name)}/handler.mjs`),
    environment: { ...packaged.service.provider.environment, ...settings },
  };
}

async function buildBaseline(folder: string): Promise<Bundle> {
  const file = path.join(folder, "baseline/handler.mjs");
  await build({
    stdin: { contents: baselineSource, resolveDir: root },
    outfile: file,
    ...({ bundle: true, minify: true, format: "esm", platform: "node", target: "node24" } as const),
  });
  return { file, environment: {} };
}

/** Interleaved, so other load on the machine affects all alike. */
async function medianImports(bundles: Bundle[]): Promise<number[]> {
  const times: number[][] = bundles.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [at, one] of bundles.entries()) times[at]?.push(await importTime(one));
  return times.map(medianOf);
}

async function importTime({ file, environment }: Bundle): Promise<number> {
  const command = ["--input-type=module", "--eval", importing, file];
  const env = { PATH: process.env["PATH"], ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, command, { env, timeout: 60_000 });
  return Number(stdout.trim().split("\n").at(-1));
}

function medianOf(values: number[]): number {
  const sorted = values.toSorted((one, two) => one - two);
  const [lower = 0, upper = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (lower + upper) / 2;
}
