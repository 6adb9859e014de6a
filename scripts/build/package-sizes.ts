import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Metafile } from "esbuild";
import { folderOf, type PackagedService } from "./package-service.ts";
import { readZip } from "./zip.ts";

/** Sizes are zipped; inputs are the bundle's sources, largest first. */
export type FunctionSize = {
  name: string;
  zipBytes: number;
  /** The part of these bytes that the function only serves: the documentation's scripts. */
  servedBytes: number;
  inputs: { path: string; bytes: number }[];
};

export function packageSizes(packaged: PackagedService): Promise<FunctionSize[]> {
  return Promise.all(Object.keys(packaged.service.functions).map((name) => sizeOf(packaged, name)));
}

async function sizeOf(packaged: PackagedService, name: string): Promise<FunctionSize> {
  const zip = path.join(packaged.folder, `${name}.zip`);
  const code = `${folderOf(packaged, name)}/handler.`;
  // The function's entry, its lazily loaded chunks and their licenses; other files are only served.
  const served = (await readZip(zip)).filter(({ name: file }) => !file.startsWith(code));
  return {
    name,
    zipBytes: (await stat(zip)).size,
    servedBytes: served.reduce((sum, { size }) => sum + size, 0),
    inputs: await largestInputs(packaged, name),
  };
}

async function largestInputs({ folder }: PackagedService, name: string) {
  const text = await readFile(path.join(folder, "bundles", name, "metafile.json"), "utf8");
  const { outputs }: Metafile = JSON.parse(text);
  return Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .map(([input, { bytesInOutput }]) => ({ path: fromRoot(input), bytes: bytesInOutput }))
    .sort((one, two) => two.bytes - one.bytes)
    .slice(0, 5);
}

/** The bundler's paths are relative to its working folder. */
const fromRoot = (input: string): string =>
  input.replace(/^.*?(?=(node_modules|functions|lib|schema)\/)/, "");
