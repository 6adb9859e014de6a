/** `npm run interop lti-tools`: third-party LTI 1.3 tools run in a course of this service, in Chromium. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import type { JWTPayload } from "jose";
import { type Browser, chromium } from "playwright-core";
import { buildApp } from "../../app/build.ts";
import { ToolFailure } from "../../proof/clients/toolchain.ts";
import {
  type AnyJson,
  type ApiCaller,
  findOfferingOfLearner,
  printStep,
  readGradebookScore,
  signInApiCaller,
} from "../../proof/lti-check/api.ts";
import {
  chooseContentInFrame,
  collectLaunchClaims,
  openItemAndReadReport,
  registerToolInFrame,
} from "../../proof/lti-tools-check/browser.ts";
import { type ClaimsChecker, createClaimsChecker } from "../../proof/lti-tools-check/claims.ts";
import {
  installLtijsTool,
  installPyLtiTool,
  type ToolStarter,
} from "../../proof/lti-tools-check/programs.ts";
import { type PersonCredentials, visitAppAs } from "../../proof/scorm-check/visit.ts";
import { commandLine } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import type { Platform } from "../dev/platform.ts";
import { demoAdministrator, demoInstructor, demoRegistrar, demoStudent } from "../dev/seed/accounts.ts";
import { systemBrowser } from "../dev/system-browser.ts";

const { flags } = commandLine({
  usage: `npm run interop lti-tools -- [--schemas FOLDER]

Runs a tool of PyLTI1p3, from PyPI, and one of ltijs, from npm, on this machine in a course of a new server with the
demonstration. Drives both in Chromium: Dynamic Registration (PyLTI1p3 for a university, ltijs for the platform), Deep
Linking, a learner's launch, line items, scores, results and the roster. A missing program is named and is no failure.

--schemas FOLDER  also checks the claims of launches with 1EdTech's JSON schemas, such as
                  https://purl.imsglobal.org/spec/lti/v1p3/schema/json/LtiResourceLinkRequest.json and those that it names`,
  flags: { schemas: { type: "string" } },
});

const university = 1;

/** A tool with its registration's screen and API, and the administrator who registers it. */
type CheckedTool = {
  name: string;
  title: string;
  start: ToolStarter;
  screen: string;
  path: string;
  administrator: PersonCredentials;
};

async function installTools(folder: string): Promise<CheckedTool[]> {
  const pyLti = await installPyLtiTool(folder);
  const ltijs = await installLtijsTool(folder);
  return [
    ...(pyLti
      ? [
          {
            ...{ name: "PyLTI1p3", title: "Wave quiz", start: pyLti, administrator: demoRegistrar },
            ...{
              screen: `/administration/${university}/lti-tools`,
              path: `/universities/${university}/lti-tools`,
            },
          },
        ]
      : []),
    ...(ltijs
      ? [
          {
            ...{ name: "ltijs", title: "Tide quiz", start: ltijs, administrator: demoAdministrator },
            ...{ screen: "/administration/lti-tools", path: "/admin/lti-tools" },
          },
        ]
      : []),
  ];
}

type World = { base: string; browser: Browser; teacher: ApiCaller; learner: ApiCaller; offering: AnyJson };

async function register({ base, browser }: World, one: CheckedTool, address: string): Promise<AnyJson> {
  const page = await visitAppAs(browser, { base, hash: one.screen }, one.administrator);
  await registerToolInFrame(page, address, one.name);
  await page.context().close();
  const administrator = await signInApiCaller(base, one.administrator);
  const tool = (await administrator("GET", one.path)).find(({ name }: AnyJson) => name === one.name);
  await administrator("PUT", `${one.path}/${tool.id}`, { shares_name: true });
  printStep("registration", `ok: ${tool.name} registered itself as ${tool.client_id}`);
  return tool;
}

type Launched = { item: AnyJson; claims: JWTPayload[] };

async function addItem(world: World, one: CheckedTool, tool: AnyJson): Promise<Launched> {
  const { base, browser, teacher, offering } = world;
  const { course_id } = offering;
  const [module] = await teacher("GET", `/modules/courses/${course_id}/modules`);
  const types = await teacher("GET", "/content-types");
  const { id: content_type_id } = types.find((type: AnyJson) => type.name === "external_tool");
  const draft = await teacher("POST", "/content", {
    ...{ course_id, module_id: module.id, content_type_id, title: "Draft" },
    data_json: { lti_tool_id: tool.id },
  });
  const hash = `/authoring/${course_id}/items/${draft.id}`;
  const page = await visitAppAs(browser, { base, hash }, demoInstructor);
  const claims = collectLaunchClaims(page);
  await chooseContentInFrame(page, one.title);
  await page.context().close();
  const item = await teacher("GET", `/content/${draft.id}`);
  if (item.data_json.max_points !== 20) throw new ToolFailure(`deep linking: ${JSON.stringify(item)}`);
  printStep("deep linking", `ok: “${item.title}” with ${item.data_json.max_points} points`);
  return { item, claims };
}

async function launch(world: World, one: CheckedTool, { item, claims }: Launched): Promise<JWTPayload[]> {
  const { base, browser, teacher, learner, offering } = world;
  const hash = `/courses/${offering.course_id}/${offering.id}/${item.id}`;
  const page = await visitAppAs(browser, { base, hash }, demoStudent);
  const launched = collectLaunchClaims(page);
  const report = await openItemAndReadReport(page, one.title);
  await page.context().close();
  if (report.error) throw new ToolFailure(`the tool's launch: ${report.error}`);
  printStep("launch", `ok: custom parameters ${JSON.stringify(report.custom)}`);
  checkScores(report);
  const score = await readGradebookScore(teacher, offering, item, await learner("GET", "/users/me"));
  if (score !== 16) throw new ToolFailure(`the gradebook has ${score} instead of 16`);
  printStep("AGS", `ok: ${report.line_items.length} line items, 16 of 20 points in the gradebook`);
  if (!report.members.some((member: AnyJson) => member.user_id === report.sub && member.name))
    throw new ToolFailure(`NRPS: ${JSON.stringify(report.members)}`);
  printStep("NRPS", `ok: ${report.members.length} members`);
  return [...claims, ...launched];
}

function checkScores({ results, sub, line_items, own_results }: AnyJson): void {
  const own = results.find((result: AnyJson) => result.userId === sub);
  if (own?.resultScore !== 16 || own.resultMaximum !== 20)
    throw new ToolFailure(`AGS: ${JSON.stringify(results)}`);
  if (line_items.length !== 2 || own_results[0]?.resultScore !== 4)
    throw new ToolFailure(`AGS, a line item of the tool: ${JSON.stringify(own_results)}`);
}

async function check(world: World, one: CheckedTool, databaseUrl: string, claimsOk?: ClaimsChecker) {
  console.log(`\n${one.name}`);
  const running = await one.start(databaseUrl);
  try {
    const tool = await register(world, one, running.address);
    const claims = await launch(world, one, await addItem(world, one, tool));
    if (claimsOk) printStep("claims", `ok: ${claimsOk(claims)} of ${claims.length} launches have a schema`);
  } finally {
    running.stop();
  }
}

async function createDatabase({ db, config }: Platform, name: string): Promise<string> {
  await db.execute(sql`create database ${sql.identifier(name)}`);
  const url = new URL(config.DATABASE_URL);
  url.pathname = `/${name}`;
  return url.href;
}

async function createChecker(folder: string): Promise<ClaimsChecker | undefined> {
  if (flags.schemas === undefined) return undefined;
  const names = (await readdir(flags.schemas)).filter((name) => name.endsWith(".json"));
  return createClaimsChecker(folder, flags.schemas, names);
}

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-lti-tools-check-"));
let platform: Platform | undefined;
let browser: Browser | undefined;
try {
  const tools = systemBrowser ? await installTools(folder) : [];
  if (!systemBrowser) console.log("Nothing was checked: Chromium is not installed.");
  if (systemBrowser && tools.length > 0) {
    const claimsOk = await createChecker(folder);
    await buildApp();
    platform = await startOwnPlatform(folder);
    const args = ["--no-sandbox", "--disable-gpu", "--disable-features=LocalNetworkAccessChecks"];
    browser = await chromium.launch({ executablePath: systemBrowser, args });
    const { base } = platform;
    const learner = await signInApiCaller(base, demoStudent);
    const teacher = await signInApiCaller(base, demoInstructor);
    const offering = await findOfferingOfLearner(learner, university);
    const world = { base, browser, teacher, learner, offering };
    const databaseUrl = await createDatabase(platform, "tool");
    for (const one of tools) await check(world, one, databaseUrl, claimsOk);
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
