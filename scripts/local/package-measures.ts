import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { build, type Metafile } from "esbuild";
import { startFunction, type UnpackedFunction } from "../../tests/support/runtime-function.ts";
import type { FunctionReport } from "./package-budgets.ts";
import { type PackagedService, packageService, unpackFunction } from "./package-service.ts";
import { readZip } from "./zip.ts";

const rounds = 10;
const root = path.resolve(import.meta.dirname, "../..");

/** What every other function is held against: as little as can be on the same framework. */
const baselineSource = `
import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
export const handler = handle(new Hono().get("/", (c) => c.text("Hello")));
`;

/** Settings with which every function starts; nothing is asked of the database before the first request. */
const settings = {
  SECRET_SETTINGS: JSON.stringify({
    DATABASE_URL: "postgresql://app:password@127.0.0.1:9/learning",
    SECRET_KEY: "a secret for measuring, with enough characters",
    DIRECT_API_KEY: "key-for-measuring",
  }),
  LLM_PROVIDER: "direct_api",
};

/** Packages the service into the folder and measures each function, beside a baseline on the same machine. */
export async function measurePackage(folder: string, onProgress: (message: string) => void) {
  onProgress("Packaging …");
  const packaged = await packageService(folder);
  const names = Object.keys(packaged.service.functions);
  const unpackedFunctions = await Promise.all(names.map((name) => unpack(packaged, name)));
  onProgress(`Starting each of ${names.length} functions ${rounds} times …`);
  const [baselineMs = 0, ...times] = await medianStarts([await buildBaseline(folder), ...unpackedFunctions]);
  const functions = await Promise.all(
    names.map(async (name, at): Promise<FunctionReport> => {
      const sizes = await sizesOf(packaged, name);
      return {
        name,
        ...sizes,
        initialisationMs: times[at] ?? 0,
        inputs: await largestInputs(packaged, name),
      };
    }),
  );
  return { baselineMs, functions };
}

async function unpack(packaged: PackagedService, name: string): Promise<UnpackedFunction> {
  const environment = { ...packaged.service.provider.environment, ...settings };
  return {
    folder: await unpackFunction(packaged, name),
    handler: `functions/${name}/handler.handler`,
    environment,
  };
}

async function buildBaseline(folder: string): Promise<UnpackedFunction> {
  const own = path.join(folder, "baseline");
  await build({
    stdin: { contents: baselineSource, resolveDir: root },
    outfile: path.join(own, "handler.mjs"),
    ...({ bundle: true, minify: true, format: "esm", platform: "node", target: "node24" } as const),
  });
  return { folder: own, handler: "handler.handler", environment: {} };
}

/** In turns, so that what else the machine does meets all of them alike. */
async function medianStarts(functions: UnpackedFunction[]): Promise<number[]> {
  const times: number[][] = functions.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [at, one] of functions.entries()) {
      const running = await startFunction(one);
      await running.stop();
      times[at]?.push(running.initialisationMs);
    }
  return times.map(medianOf);
}

function medianOf(values: number[]): number {
  const sorted = values.toSorted((one, two) => one - two);
  const [lower = 0, upper = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (lower + upper) / 2;
}

async function sizesOf({ folder }: PackagedService, name: string) {
  const zip = path.join(folder, `${name}.zip`);
  const served = (await readZip(zip)).filter((file) => file.name !== `functions/${name}/handler.mjs`);
  return {
    zipBytes: (await stat(zip)).size,
    servedBytes: served.reduce((sum, { size }) => sum + size, 0),
  };
}

async function largestInputs({ folder }: PackagedService, name: string) {
  const text = await readFile(path.join(folder, "bundles", name, "metafile.json"), "utf8");
  const { outputs }: Metafile = JSON.parse(text);
  const bundle = Object.values(outputs).find(({ entryPoint }) => entryPoint !== undefined);
  return Object.entries(bundle?.inputs ?? {})
    .map(([input, { bytesInOutput }]) => ({ path: fromRoot(input), bytes: bytesInOutput }))
    .sort((one, two) => two.bytes - one.bytes)
    .slice(0, 5);
}

/** The bundler names files as seen from the folder in which it worked. */
const fromRoot = (input: string): string =>
  input.replace(/^.*?(?=(node_modules|functions|lib|schema)\/)/, "");
