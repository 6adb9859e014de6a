/** `npm run interop lti-tools`: a third-party LTI 1.3 tool runs in a course of this service. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tryInstallingPythonWithPackages } from "../../proof/clients/python-environment.ts";
import { ToolFailure } from "../../proof/clients/toolchain.ts";
import { type AnyJson, type ApiCaller, createApiCaller, printStep } from "../../proof/lti-check/api.ts";
import { launchToolAndReadPage, submitToolDeepLinkForm } from "../../proof/lti-tools-check/browser.ts";
import { commandLine } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import type { Platform } from "../dev/platform.ts";
import { demoInstructor, demoRegistrar, demoStudent } from "../dev/seed/accounts.ts";

commandLine({
  usage: `npm run interop lti-tools

Runs a tool of PyLTI1p3, from PyPI, on this machine in a course of a new server with the demonstration: Dynamic Registration,
Deep Linking, a learner's launch, a line item, scores, results and the roster. A missing program is named and is no failure.`,
  flags: {},
});

const university = 1;

const signedIn = async (base: string, account: object): Promise<ApiCaller> =>
  createApiCaller(base, (await createApiCaller(base)("POST", "/auth/login", account)).access_token);

async function register(admin: ApiCaller, tool: string): Promise<AnyJson> {
  const invited = await admin("POST", `/universities/${university}/lti-tool-registrations`, {
    registration_url: `${tool}/register`,
  });
  const answer = await fetch(invited.registration_url);
  if (!answer.ok) throw new ToolFailure(`the tool's registration answered ${answer.status}`);
  const [found] = (await admin("GET", `/universities/${university}/lti-tools`)).slice(-1);
  await admin("PUT", `/universities/${university}/lti-tools/${found.id}`, { shares_name: true });
  printStep("registration", `ok: ${found.name} registered itself as ${found.client_id}`);
  return found;
}

async function addItem(teacher: ApiCaller, offering: AnyJson, tool: AnyJson): Promise<AnyJson> {
  const { course_id } = offering;
  const { launch_url } = await teacher("GET", `/courses/${course_id}/lti-tools/${tool.id}/deep-linking`);
  const items = await submitToolDeepLinkForm((await launchToolAndReadPage(launch_url)).text);
  const [module] = await teacher("GET", `/modules/courses/${course_id}/modules`);
  const types = await teacher("GET", "/content-types");
  const { id: content_type_id } = types.find((type: AnyJson) => type.name === "external_tool");
  const body = { course_id, module_id: module.id, content_type_id, ...items[0] };
  const item = await teacher("POST", "/content", body);
  printStep("deep linking", `ok: “${item.title}” with ${item.data_json.max_points} points`);
  return item;
}

async function launch(learner: ApiCaller, offering: AnyJson, item: AnyJson): Promise<void> {
  const start = await learner("GET", `/offerings/${offering.id}/external-tools/${item.id}/launch`);
  const { text, status } = await launchToolAndReadPage(start.launch_url);
  if (status !== 200) throw new ToolFailure(`the tool's launch answered ${status}: ${text}`);
  const { custom, line_items, results, own_results, members, sub } = JSON.parse(text) as AnyJson;
  printStep("launch", `ok: custom parameters ${JSON.stringify(custom)}`);
  const own = results.find((result: AnyJson) => result.userId === sub);
  if (own?.resultScore !== 16 || own.resultMaximum !== 20)
    throw new ToolFailure(`AGS: ${JSON.stringify(results)}`);
  if (line_items.length !== 2 || own_results[0]?.resultScore !== 4)
    throw new ToolFailure(`AGS, a line item of the tool: ${JSON.stringify(own_results)}`);
  printStep(
    "AGS",
    `ok: ${line_items.length} line items, a score of ${own.resultScore} of ${own.resultMaximum}`,
  );
  if (!members.some((member: AnyJson) => member.user_id === sub && member.name))
    throw new ToolFailure(`NRPS: ${JSON.stringify(members)}`);
  printStep("NRPS", `ok: ${members.length} members`);
}

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-lti-tools-check-"));
let platform: Platform | undefined;
let tool: ReturnType<typeof spawn> | undefined;
try {
  const python = await tryInstallingPythonWithPackages(folder, "PyLTI1p3==2.0.0", "flask==3.1.2");
  if (python) {
    platform = await startOwnPlatform(folder);
    const { base } = platform;
    const program = fileURLToPath(new URL("../../proof/lti-tools-check/tool.py", import.meta.url));
    tool = spawn(python, [program], { stdio: ["ignore", "pipe", "inherit"] });
    if (!tool.stdout) throw new Error("it has an output");
    const ended = once(tool, "exit").then(() => {
      throw new ToolFailure("the tool ended before it started");
    });
    const started = once(createInterface(tool.stdout), "line");
    const [address] = (await Promise.race([started, ended])) as [string];
    const registered = await register(await signedIn(base, demoRegistrar), address);
    const teacher = await signedIn(base, demoInstructor);
    const learner = await signedIn(base, demoStudent);
    const taken = await learner("GET", "/enrollments/my-enrollments");
    const isTaken = ({ id }: AnyJson) =>
      taken.some((one: AnyJson) => one.course_offering_id === id && one.status === "ACTIVE");
    const offering = (await learner("GET", `/offerings?university_id=${university}`)).find(isTaken);
    const item = await addItem(teacher, offering, registered);
    await launch(learner, offering, item);
  }
} catch (error) {
  if (!(error instanceof ToolFailure)) throw error;
  console.log(error.message);
  process.exitCode = 1;
} finally {
  tool?.kill();
  await platform?.stop();
  await rm(folder, { recursive: true, force: true });
}
