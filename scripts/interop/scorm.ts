/** `npm run interop scorm`: packages of third-party programs are played in Chromium. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, chromium } from "playwright-core";
import { buildApp } from "../../app/build.ts";
import { findMissingTool, ToolFailure } from "../../proof/clients/toolchain.ts";
import {
  type AnyJson,
  type ApiCaller,
  findOfferingOfLearner,
  printStep,
  readGradebookScore,
  signInApiCaller,
} from "../../proof/lti-check/api.ts";
import { playScosOnTwoDevices } from "../../proof/scorm-check/play.ts";
import {
  type BuiltScormPackage,
  buildScormPackagesWithNpm,
  buildScormPackageWithScocli,
  installScocli,
  installScormNpmPackages,
} from "../../proof/scorm-check/programs.ts";
import { commandLine } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import type { Platform } from "../dev/platform.ts";
import { demoInstructor, demoStudent } from "../dev/seed/accounts.ts";
import { systemBrowser } from "../dev/system-browser.ts";

commandLine({
  usage: `npm run interop scorm

Builds packages of SCORM 1.2, 2004 third edition and 2004 fourth edition with simple-scorm-packager from npm and scocli from PyPI.
Uploads each to a new server with the demonstration, and plays it in Chromium: a bookmark, its resumption on another device, a
score, and the score in the gradebook. A missing program is named and is no failure.`,
  flags: {},
});

async function buildPackages(folder: string): Promise<BuiltScormPackage[] | undefined> {
  const missing = await findMissingTool(["npm", "python3"]);
  if (missing) return void console.log(`Nothing was checked: ${missing} is not installed.`);
  try {
    const modules = await installScormNpmPackages(folder);
    const programs = await installScocli(folder);
    return [
      ...(await buildScormPackagesWithNpm(folder, modules)),
      await buildScormPackageWithScocli(folder, programs, modules),
    ];
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return void console.log(`Nothing was checked: the programs cannot be installed here.\n${error.message}`);
  }
}

async function upload(base: string, teacher: ApiCaller, course_id: number, file: string): Promise<number> {
  const bytes = await readFile(file);
  const about = { purpose: "ASSET", course_id, name: path.basename(file), media_type: "application/zip" };
  const { id, upload: to } = await teacher("POST", "/files/", { ...about, size: bytes.length });
  const sent = await fetch(new URL(to.url, base), {
    method: "PUT",
    headers: to.headers,
    body: new Uint8Array(bytes),
  });
  if (!sent.ok) throw new ToolFailure(`the upload answered ${sent.status}`);
  await teacher("POST", `/files/${id}/complete`, {});
  return id;
}

type Checked = { item: AnyJson; scos: number };

async function addItem(
  base: string,
  teacher: ApiCaller,
  offering: AnyJson,
  { file, name, version }: BuiltScormPackage,
): Promise<Checked> {
  const { course_id } = offering;
  const file_id = await upload(base, teacher, course_id, file);
  const checked = await teacher("POST", "/scorm/packages", { file_id });
  if (checked.version !== version) throw new ToolFailure(`${name} is read as SCORM ${checked.version}`);
  const [module] = await teacher("GET", `/modules/courses/${course_id}/modules`);
  const types = await teacher("GET", "/content-types");
  const { id: content_type_id } = types.find((type: AnyJson) => type.name === "scorm");
  const item = await teacher("POST", "/content", {
    ...{ course_id, module_id: module.id, content_type_id, title: name },
    data_json: { file_id, max_points: 20 },
  });
  return { item, scos: checked.scos.length };
}

async function checkPackages(
  base: string,
  browser: Browser,
  packages: readonly BuiltScormPackage[],
): Promise<void> {
  const teacher = await signInApiCaller(base, demoInstructor);
  const student = await signInApiCaller(base, demoStudent);
  const learner = await student("GET", "/users/me");
  const offering = await findOfferingOfLearner(student, 1);
  for (const one of packages) {
    const { item, scos } = await addItem(base, teacher, offering, one);
    const hash = `/courses/${offering.course_id}/${offering.id}/${item.id}`;
    await playScosOnTwoDevices(browser, { base, hash }, demoStudent, scos);
    const score = await readGradebookScore(teacher, offering, item, learner);
    if (score !== 17) throw new ToolFailure(`${one.name} has the score ${score} instead of 17`);
    printStep(one.name, `ok: ${scos} SCO${scos > 1 ? "s" : ""}, resumed, 17 of 20 points`);
  }
}

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-scorm-check-"));
let platform: Platform | undefined;
let browser: Browser | undefined;
try {
  if (!systemBrowser) console.log("Nothing was checked: Chromium is not installed.");
  else {
    const packages = await buildPackages(folder);
    if (packages) {
      await buildApp();
      platform = await startOwnPlatform(folder);
      browser = await chromium.launch({
        executablePath: systemBrowser,
        args: ["--no-sandbox", "--disable-gpu"],
      });
      await checkPackages(platform.base, browser, packages);
    }
  }
} catch (error) {
  if (!(error instanceof ToolFailure)) throw error;
  console.log(error.message);
  process.exitCode = 1;
} finally {
  await browser?.close();
  await platform?.stop();
  await rm(folder, { recursive: true, force: true });
}
