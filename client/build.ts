/** `npm run build --workspace client`: writes the package `dist`, JavaScript with types. */
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { commandLine } from "../scripts/command-line.ts";

const own = (name: string) => path.join(import.meta.dirname, name);

/** Compiles the client into the directory, with a package.json for installing or publishing it. */
export function buildClient(folder = own("dist")): void {
  rmSync(folder, { recursive: true, force: true });
  const compiler = createRequire(own("../package.json")).resolve("typescript/package.json");
  const command = [
    path.join(path.dirname(compiler), "bin/tsc"),
    "--project",
    own("tsconfig.json"),
    "--outDir",
    folder,
  ];
  execFileSync(process.execPath, command, { stdio: "inherit" });
  const { name, version, description, license, dependencies } = JSON.parse(
    readFileSync(own("package.json"), "utf8"),
  );
  const exports = { ".": { types: "./client.d.ts", default: "./client.js" } };
  const described = {
    name,
    version,
    description,
    license,
    type: "module",
    exports,
    sideEffects: false,
    dependencies,
  };
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(described, null, 2)}\n`);
  cpSync(own("README.md"), path.join(folder, "README.md"));
}

if (import.meta.main) {
  commandLine({
    usage: "npm run build --workspace client\n\nWrites client/dist, a package for every frontend.",
  });
  buildClient();
}
