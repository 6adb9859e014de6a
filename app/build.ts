/** `npm run app`: builds the web application if its sources have changed. */
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Plugin } from "rolldown";
import { packClient } from "../client/build.ts";
import { licenseOf, noticeOf } from "../scripts/build/licenses/packages.ts";
import { commandLine } from "../scripts/command-line.ts";

const root = path.resolve(import.meta.dirname, "..");
const own = (name: string) => path.join(import.meta.dirname, name);
const target = own("built");

const browsers = ["chrome123", "firefox121", "safari17.5"];

/** Contains the fingerprint of the build's sources. */
const stamp = "built-from";

/** All sources of the application. Installed packages are covered by the lock file. */
const sources = [
  "app/*.{ts,html,json,png,svg,webmanifest}",
  "app/{src,styles,texts}/**/*.*",
  "client/{*.ts,package.json,README.md}",
  "package-lock.json",
];

/** The application cannot be built. The message says what to do. */
export class CannotBuild extends Error {
  override name = "CannotBuild";
}

/** Builds the application into its function's directory if the sources have changed. Rejects with `CannotBuild`. */
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
    await Promise.all([bundleInto(folder), packClient(path.join(folder, "client.tgz")).catch(couldNotBuild)]);
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

/** Removes unused operations: keeps only those named in the application's or the client's sources. */
const operationsInUse: Plugin = {
  name: "operations-in-use",
  load: {
    filter: { id: /[\\/]client[\\/]operations\.ts$/ },
    async handler(file) {
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
      return { code: lines.join("\n"), moduleType: "ts" };
    },
  },
};

/** Styles of screens that load on demand (src/later-styles.ts), as text. */
const laterStyles: Plugin = {
  name: "later-styles",
  load: {
    filter: { id: /[\\/]styles[\\/]later[\\/]\w+\.css$/ },
    async handler(file) {
      const { transform } = await bundlerOf(() => import("esbuild"));
      const { code } = await transform(await readFile(file, "utf8"), {
        ...{ loader: "css", minify: true, target: browsers },
      });
      return { code: `export default ${JSON.stringify(code.trim())}`, moduleType: "js" };
    },
  },
};

/** File names contain a hash, so browsers may cache them. */
async function bundleInto(outdir: string): Promise<void> {
  const [scripts, styles, player] = await Promise.all([
    bundleScripts(outdir),
    bundleStyles(outdir),
    bundleScormPlayer(outdir),
  ]);
  const outputs: Record<string, string> = {
    ...scripts.outputs,
    ...styles.outputs,
    licenses: await writeLicenses([...scripts.sources, ...styles.sources, ...player], outdir),
  };
  for (const name of ["index.html", "manifest.webmanifest"]) {
    const written = (await readFile(own(name), "utf8")).replaceAll(/\[\[(.+?)\]\]/g, (_, source) => {
      const output = outputs[source];
      if (!output) throw new Error(`Nothing is built from ${source}`);
      return output;
    });
    await writeFile(path.join(outdir, name), written);
  }
}

/** Output file names by source, and all sources. */
type Bundled = { outputs: Record<string, string>; sources: string[] };

/**
 * Chunks: all modules of the first screen; those of a topic, with modules it shares with many screens; and
 * modules of few screens, loaded with them.
 */
async function bundleScripts(outdir: string): Promise<Bundled> {
  const { rolldown } = await bundlerOf(() => import("rolldown"));
  const [first, topic] = [own("src/main.tsx"), own("src/screens/topic.tsx")];
  const bundle = await rolldown({
    cwd: import.meta.dirname,
    input: { app: first },
    platform: "browser",
    plugins: [operationsInUse, laterStyles],
    tsconfig: false,
    // The client's sources instead of its compiled package.
    resolve: { conditionNames: ["learning-platform-source", "import", "browser", "default"] },
    // An unresolved import would otherwise fail only in the browser.
    onLog: (level, log, tell) => tell(log.code === "UNRESOLVED_IMPORT" ? "error" : level, log),
    transform: { target: browsers, jsx: { runtime: "automatic", importSource: "preact" } },
  });
  let withTheFirst: Set<string> | undefined;
  let withTopics: Map<string, string> | undefined;
  const { output } = await bundle
    .write({
      dir: outdir,
      format: "esm",
      minify: true,
      entryFileNames: "[name]-[hash].js",
      chunkFileNames: "[name]-[hash].js",
      codeSplitting: {
        groups: [
          {
            debugName: "first",
            name(id, context) {
              withTheFirst ??= idsBehind(first, (known) => context.getModuleInfo(known));
              // The entry awaits its imports, so they must not import the entry's chunk.
              return id !== first && withTheFirst.has(id) ? "first" : null;
            },
          },
          {
            debugName: "topics",
            name(id, context) {
              withTopics ??= filesOfTopics(first, topic, (known) => context.getModuleInfo(known));
              return withTopics.get(id) ?? null;
            },
          },
        ],
      },
    })
    .catch(couldNotBuild);
  await bundle.close();
  const chunks = output.filter((one) => one.type === "chunk");
  const entry = chunks.find(({ isEntry }) => isEntry)?.fileName ?? "";
  const needed = chunks.find(({ name }) => name === "first")?.fileName ?? "";
  return {
    outputs: { "src/main.tsx": entry, first: needed },
    sources: chunks.flatMap(({ moduleIds }) => moduleIds),
  };
}

/** One script, for the page that frames a SCORM package on another origin. Returns its sources. */
async function bundleScormPlayer(outdir: string): Promise<string[]> {
  const { rolldown } = await bundlerOf(() => import("rolldown"));
  const bundle = await rolldown({
    cwd: import.meta.dirname,
    input: own("src/scorm/player.ts"),
    platform: "browser",
    tsconfig: false,
    onLog: (level, log, tell) => tell(log.code === "UNRESOLVED_IMPORT" ? "error" : level, log),
    transform: { target: browsers },
  });
  const { output } = await bundle
    .write({ file: path.join(outdir, "scorm-player.js"), format: "iife", minify: true })
    .catch(couldNotBuild);
  await bundle.close();
  return output.flatMap((one) => (one.type === "chunk" ? one.moduleIds : []));
}

type Ids = (id: string) => { importedIds: string[] } | null;
type Infos = (id: string) => { importedIds: string[]; dynamicallyImportedIds: string[] } | null;

/** A topic's own directories. Their modules load with topics if at most this many other screens use them. */
const ofTopics = /[\\/]src[\\/](content|tutor)[\\/]/;
const few = 3;

/** The chunk of each module that a topic imports. */
function filesOfTopics(first: string, topic: string, infoOf: Infos): Map<string, string> {
  const all = idsBehind(first, (id) => {
    const info = infoOf(id);
    return info && { importedIds: [...info.importedIds, ...info.dynamicallyImportedIds] };
  });
  const screens = new Set([...all].flatMap((id) => infoOf(id)?.dynamicallyImportedIds ?? []));
  screens.delete(topic);
  const behind = [...screens].map((screen) => idsBehind(screen, infoOf));
  const files = new Map<string, string>();
  for (const id of idsBehind(topic, infoOf)) {
    const others = behind.filter((ids) => ids.has(id)).length;
    files.set(id, others < 2 || (others <= few && ofTopics.test(id)) ? "topics" : "common");
  }
  return files;
}

/** A module with all its static imports, recursively. */
function idsBehind(id: string, infoOf: Ids, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const imported of infoOf(id)?.importedIds ?? []) idsBehind(imported, infoOf, found);
  return found;
}

/** Home screens need PNG icons, and maskable ones are cropped at the edges. */
const pictures = ["icon-192", "icon-512", "maskable-512"];

async function bundleStyles(outdir: string): Promise<Bundled> {
  const { build } = await bundlerOf(() => import("esbuild"));
  const { metafile } = await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: [
      { in: own("styles/app.css"), out: "app" },
      { in: own("icon.svg"), out: "icon" },
      ...pictures.map((name) => ({ in: own(`${name}.png`), out: name })),
    ],
    outdir,
    ...({ bundle: true, minify: true, metafile: true } as const),
    target: browsers,
    loader: { ".svg": "copy", ".png": "copy", ".woff2": "file" },
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    legalComments: "none",
    logLevel: "warning",
  }).catch(couldNotBuild);
  const outputs = Object.entries(metafile.outputs).flatMap(([file, { entryPoint }]) =>
    entryPoint ? [[entryPoint, path.basename(file)]] : [],
  );
  return { outputs: Object.fromEntries(outputs), sources: Object.keys(metafile.inputs) };
}

/** The bundlers are not installed in production, where the build is up to date. */
const bundlerOf = <Bundler>(load: () => Promise<Bundler>): Promise<Bundler> =>
  load().catch((cause) => {
    throw new CannotBuild('The web application is not built: run "npm ci" and "npm run app" first', {
      cause,
    });
  });

function couldNotBuild(cause: Error): never {
  if (!/Could not resolve|UNRESOLVED_IMPORT/.test(cause.message)) throw cause;
  throw new CannotBuild(`${cause.message}\nIf it is a package, it is not installed: run "npm ci" first`, {
    cause,
  });
}

/** Writes the licenses of all bundled packages and returns the file's name. */
async function writeLicenses(files: readonly string[], outdir: string): Promise<string> {
  const found = files.flatMap((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const folders = [...new Set(found)].map((folder) => path.resolve(import.meta.dirname, folder));
  const packages = (await Promise.all(folders.map(licenseOf))).filter((one) => one !== undefined);
  const notice = noticeOf(packages);
  const name = `licenses-${createHash("sha256").update(notice).digest("hex").slice(0, 8)}.txt`;
  await writeFile(path.join(outdir, name), notice);
  return name;
}

/** Concurrent builds produce the same files, so the last one wins. */
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
