/** `npm run build --workspace client`: compiles the client into `dist`, JavaScript with types. */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { commandLine } from "../scripts/command-line.ts";

const own = (name: string) => path.join(import.meta.dirname, name);
const run = promisify(execFile);

/** Compiles the client into the directory. */
export async function buildClient(folder = own("dist")): Promise<void> {
  const { dependencies } = JSON.parse(await readFile(own("package.json"), "utf8"));
  await rm(folder, { recursive: true, force: true });
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({
    input: own("client.ts"),
    platform: "neutral",
    tsconfig: false,
    external: (id) => Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`)),
    transform: { target: "es2022" },
  });
  await bundle.write({ dir: folder, format: "esm", chunkFileNames: "[name].js" });
  await bundle.close();
  await writeTypes(folder);
}

/** Declarations of each file. The client's exports have explicit types, which need no type checker. */
async function writeTypes(folder: string): Promise<void> {
  const { isolatedDeclarationSync } = await import("rolldown/experimental");
  const names = globSync("*.ts", { cwd: import.meta.dirname }).filter(
    (name) => !/^(build|generate)/.test(name),
  );
  for (const name of names) {
    const { code, errors } = isolatedDeclarationSync(name, await readFile(own(name), "utf8"));
    if (errors.length > 0)
      throw new Error(`client/${name}: ${errors.map(({ message }) => message).join(", ")}`);
    const declared = code.replaceAll(/(["'])(\.\/[\w-]+)\.ts\1/g, "$1$2.js$1");
    await writeFile(path.join(folder, name.replace(/\.ts$/, ".d.ts")), declared);
  }
}

/** Packs the compiled client into the file, as `npm pack` does in this folder. */
export async function packClient(file: string): Promise<void> {
  const { scripts, devDependencies, ...published } = JSON.parse(await readFile(own("package.json"), "utf8"));
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-client-"));
  try {
    await buildClient(path.join(folder, "dist"));
    await writeFile(path.join(folder, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
    await cp(own("README.md"), path.join(folder, "README.md"));
    await run("npm", ["pack", "--silent"], { cwd: folder, shell: process.platform === "win32" });
    await cp(path.join(folder, `${published.name}-${published.version}.tgz`), file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  commandLine({
    usage:
      "npm run build --workspace client\n\nCompiles client/dist. `npm pack` in client packs it for every frontend.",
  });
  await buildClient();
}
