import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createPythonVenvWithPackages } from "../clients/python-environment.ts";
import { installNpmPackages, runCommandRejectingWarnings, ToolFailure } from "../clients/toolchain.ts";

/* Third-party programs that build packages: simple-scorm-packager from npm and scocli from PyPI. The pages use a
   runtime wrapper from npm, after the one by pipwerks. */

const packager = "simple-scorm-packager@0.2.7";
const wrapper = "@gamestdio/scorm@0.1.3";
const scocli = "scocli==1.3.1";

export type BuiltScormPackage = { name: string; file: string; version: "1.2" | "2004" };

const elements = {
  "1.2": {
    bookmark: "cmi.core.lesson_location",
    score: "cmi.core.score.raw",
    value: "85",
    status: "cmi.core.lesson_status",
  },
  "2004": {
    bookmark: "cmi.location",
    score: "cmi.score.scaled",
    value: "0.85",
    status: "cmi.completion_status",
  },
};

/** A page that resumes at its bookmark, and reports a score of 85 percent. */
function page(version: BuiltScormPackage["version"], script: string): string {
  const { bookmark, score, value, status } = elements[version];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Waves</title>
<script>var exports = {};</script><script src="${script}"></script></head><body>
<p id="bookmark"></p>
<button type="button" onclick="turn()">Next page</button>
<button type="button" onclick="finish()">Finish with 85</button>
<script>
  var scorm = exports.scorm;
  scorm.configure({ version: "${version}" });
  scorm.initialize();
  function show() { document.getElementById("bookmark").textContent = "Bookmark: " + (scorm.get("${bookmark}") || "none"); }
  function turn() { scorm.set("${bookmark}", "page 2"); scorm.commit(); show(); }
  function finish() { scorm.set("${score}", "${value}"); scorm.set("${status}", "completed"); scorm.commit(); }
  addEventListener("pagehide", function () { scorm.terminate(); });
  show();
</script></body></html>`;
}

const zipIn = async (folder: string): Promise<string> => {
  const [name] = (await readdir(folder)).filter((one) => one.endsWith(".zip"));
  if (name === undefined) throw new ToolFailure(`${folder} has no archive`);
  return path.join(folder, name);
};

/** Installs the programs of npm. Throws npm's error if they cannot be fetched. */
export async function installScormNpmPackages(folder: string): Promise<string> {
  await writeFile(path.join(folder, "package.json"), '{ "private": true }');
  // Warnings are about old packages of the program.
  await installNpmPackages(folder, packager, wrapper);
  return path.join(folder, "node_modules");
}

const build = `require(process.argv[2])(JSON.parse(process.argv[3]), () => {});`;

export async function buildScormPackagesWithNpm(
  folder: string,
  modules: string,
): Promise<BuiltScormPackage[]> {
  const script = path.join(modules, "@gamestdio/scorm/lib/index.js");
  await writeFile(path.join(folder, "build.cjs"), build);
  const built: BuiltScormPackage[] = [];
  for (const edition of ["1.2", "2004 3rd Edition", "2004 4th Edition"]) {
    const version = edition === "1.2" ? edition : "2004";
    const name = edition.replaceAll(/\W/g, "-");
    const source = path.join(folder, `source-${name}`);
    const outputFolder = path.join(folder, `package-${name}`);
    await mkdir(source);
    await mkdir(outputFolder);
    await writeFile(path.join(source, "index.html"), page(version, "wrapper.js"));
    await copyFile(script, path.join(source, "wrapper.js"));
    const options = {
      ...{ version: edition, organization: "Northgate", title: "Waves", identifier: "waves", source },
      package: { version: "1.0.0", zip: true, outputFolder },
    };
    await runCommandRejectingWarnings(
      folder,
      process.execPath,
      ...["build.cjs", path.join(modules, "simple-scorm-packager"), JSON.stringify(options)],
    );
    built.push({ name: `simple-scorm-packager ${edition}`, file: await zipIn(outputFolder), version });
  }
  return built;
}

/** Installs scocli. Throws pip's error if it cannot be fetched. */
export const installScocli = (folder: string): Promise<string> =>
  createPythonVenvWithPackages(folder, scocli);

/** The programs ask for names. */
async function runAnswering(
  folder: string,
  answers: string,
  command: string,
  ...args: string[]
): Promise<void> {
  const running = spawn(command, args, { cwd: folder, stdio: ["pipe", "ignore", "pipe"] });
  let fault = "";
  running.stderr.on("data", (chunk) => {
    fault += chunk;
  });
  running.stdin.end(answers);
  const [code] = (await once(running, "close")) as [number | null];
  if (code !== 0) throw new ToolFailure(`${command} ${args.join(" ")}\n${fault.slice(-2000)}`);
}

/** A project of scocli with a second SCO. */
export async function buildScormPackageWithScocli(
  folder: string,
  programs: string,
  modules: string,
): Promise<BuiltScormPackage> {
  const project = path.join(folder, "waves");
  const python = path.join(programs, "python");
  const create = `import runpy, sys; runpy.run_path(sys.argv[1])["create_scorm_project"]("waves")`;
  await runAnswering(folder, "", python, "-c", create, path.join(programs, "build.py"));
  const script = await readFile(path.join(modules, "@gamestdio/scorm/lib/index.js"), "utf8");
  await writeFile(path.join(project, "javascript/wrapper.js"), script);
  await writeFile(path.join(project, "html/index.html"), page("2004", "../javascript/wrapper.js"));
  await writeFile(path.join(project, "html/quiz.html"), page("2004", "../javascript/wrapper.js"));
  const added = ["html/quiz.html", "javascript/wrapper.js"];
  await runAnswering(project, "Quiz\n", python, path.join(programs, "addResource.py"), ...added);
  await runAnswering(project, "", python, path.join(programs, "bundle.py"));
  return { name: "scocli 2004 3rd Edition", file: await zipIn(project), version: "2004" };
}
