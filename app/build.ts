/** `npm run app`: builds the web application for the function that serves it, when it is not as its sources are. */
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { BuildFailure, Metafile, Plugin } from "esbuild";
import { licenseOf, noticeOf } from "../scripts/build/licenses/packages.ts";
import { commandLine } from "../scripts/command-line.ts";

const root = path.resolve(import.meta.dirname, "..");
const own = (name: string) => path.join(import.meta.dirname, name);
const target = own("built");

/** Holds what the build was made of. */
const stamp = "built-from";

/** Everything that the application is made of; what is installed stands in the lock file. */
const sources = ["app/*.{ts,html,json}", "app/{src,styles,texts}/**/*.*", "client/*.ts", "package-lock.json"];

/** The web application cannot be built: the message says what to do. */
export class CannotBuild extends Error {
  override name = "CannotBuild";
}

/** Builds the application into the folder of its function, unless what is there was made of the same. Rejects with `CannotBuild`. */
export async function buildApp(): Promise<boolean> {
  const current = await fingerprint();
  if ((await readFile(path.join(target, stamp), "utf8").catch(() => "")) === current) return false;
  const folder = await mkdtemp(`${target}.`).catch((cause: NodeJS.ErrnoException) => {
    const remedy = 'run "npm run app" in a copy that can be written, or as someone who may';
    throw new CannotBuild(`The web application cannot be built in ${target} (${cause.code}): ${remedy}`, {
      cause,
    });
  });
  try {
    await bundleInto(folder);
    await writeFile(path.join(folder, stamp), current);
    await chmod(folder, 0o755);
    await replaceBy(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return true;
}

async function fingerprint(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of globSync(sources, { cwd: root }).sort())
    hash
      .update(file)
      .update("\0")
      .update(await readFile(path.join(root, file)));
  return hash.digest("hex");
}

/**
 * The client names all operations of the API; the application carries those alone whose names stand in its sources, or in what
 * the client does itself.
 */
const operationsInUse: Plugin = {
  name: "operations-in-use",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]client[\\/]operations\.ts$/ }, async ({ path: file }) => {
      const files = globSync(["app/src/**/*.{ts,tsx}", "client/*.ts"], {
        cwd: root,
        exclude: ["client/{api,operations}.ts"],
      });
      const texts = await Promise.all(files.map((name) => readFile(path.join(root, name), "utf8")));
      const words = new Set(texts.join("\n").match(/\w+/g));
      const lines = (await readFile(file, "utf8")).split("\n").filter((line) => {
        const [, operation] = /^ {2}(\w+): \{/.exec(line) ?? [];
        return operation === undefined || words.has(operation);
      });
      return { contents: lines.join("\n"), loader: "ts" };
    });
  },
};

/** Names hold a hash of what is in the file, so that browsers may keep it; what few screens need is loaded with them. */
async function bundleInto(outdir: string): Promise<void> {
  // Where what was built is current, as in production, the bundler need not be there.
  const { build } = await import("esbuild").catch((cause) => {
    throw new CannotBuild('The web application is not built: run "npm ci" and "npm run app" first', {
      cause,
    });
  });
  const { metafile } = await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: [
      { in: own("src/main.tsx"), out: "app" },
      { in: own("styles/app.css"), out: "app" },
      { in: own("icon.svg"), out: "icon" },
    ],
    outdir,
    ...({ bundle: true, splitting: true, minify: true, format: "esm", metafile: true } as const),
    target: ["chrome123", "firefox121", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".svg": "copy", ".woff2": "file" },
    plugins: [operationsInUse],
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    legalComments: "none",
    logLevel: "warning",
  }).catch((cause: BuildFailure) => {
    const isMissing = cause.errors?.some(({ text }) => text.startsWith("Could not resolve"));
    if (!isMissing) throw cause;
    throw new CannotBuild(`${cause.message}\nIf it is a package, it is not installed: run "npm ci" first`, {
      cause,
    });
  });
  const licenses = await writeLicenses(metafile, outdir);
  const page = await readFile(own("index.html"), "utf8");
  const written = page.replaceAll(/\[\[(.+?)\]\]/g, (_, source) =>
    source === "licenses" ? licenses : outputOf(metafile, source),
  );
  await writeFile(path.join(outdir, "index.html"), written);
}

/** Writes the licences of all that is in the application, and answers the name of their file. */
async function writeLicenses({ inputs }: Metafile, outdir: string): Promise<string> {
  const found = Object.keys(inputs).flatMap(
    (file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  );
  const folders = [...new Set(found)].map((folder) => path.resolve(import.meta.dirname, folder));
  const packages = (await Promise.all(folders.map(licenseOf))).filter((one) => one !== undefined);
  const notice = noticeOf(packages);
  const name = `licenses-${createHash("sha256").update(notice).digest("hex").slice(0, 8)}.txt`;
  await writeFile(path.join(outdir, name), notice);
  return name;
}

/** The name of what became of a source. */
function outputOf({ outputs }: Metafile, source: string): string {
  const [output] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
  if (!output) throw new Error(`Nothing is built from ${source}`);
  return path.basename(output);
}

/** Another process may build at the same time: whoever comes last leaves the same. */
async function replaceBy(folder: string): Promise<void> {
  const former = `${folder}.former`;
  await rename(target, former).catch(() => {});
  await rename(folder, target).catch((error) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  await rm(former, { recursive: true, force: true });
}

if (import.meta.main) {
  commandLine({ usage: "npm run app\n\nBuilds the web application, where it is not as its sources are." });
  const began = performance.now();
  const isBuilt = await buildApp().catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
  if (isBuilt) console.log(`The web application is built, in ${Math.round(performance.now() - began)} ms`);
}
