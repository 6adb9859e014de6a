/** `npm run build --workspace client`: compiles the client into `dist`, JavaScript with types. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { commandLine } from "../scripts/command-line.ts";

const own = (name: string) => path.join(import.meta.dirname, name);

function buildClient(): void {
  const folder = own("dist");
  rmSync(folder, { recursive: true, force: true });
  const compiler = createRequire(own("../package.json")).resolve("typescript/package.json");
  const command = [path.join(path.dirname(compiler), "bin/tsc"), "--project", own("tsconfig.json")];
  execFileSync(process.execPath, [...command, "--outDir", folder], { stdio: "inherit" });
}

if (import.meta.main) {
  commandLine({
    usage: "npm run build --workspace client\n\nCompiles client/dist. `npm pack` in client packs it for every frontend.",
  });
  buildClient();
}
