/** `npm run interop lti`: a third-party LTI 1.3 platform launches and uses this service. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tryInstallingPythonWithPackages } from "../../proof/clients/python-environment.ts";
import { ToolFailure } from "../../proof/clients/toolchain.ts";
import { type AnyJson, type ApiCaller, createApiCaller, printStep } from "../../proof/lti-check/api.ts";
import {
  type LaunchedPage,
  launchLtiTool,
  openWindowReturningTicket,
  submitDeepLinks,
} from "../../proof/lti-check/browser.ts";
import { commandLine } from "../command-line.ts";
import { startOwnPlatform } from "../dev/own-platform.ts";
import type { Platform } from "../dev/platform.ts";
import { demoRegistrar } from "../dev/seed/accounts.ts";

commandLine({
  usage: `npm run interop lti

Runs OpenLearning's lti1p3platform, from PyPI, as an LMS on this machine. It launches a new server with the demonstration: staff
and a learner, deep linking, a roster, a grade. A missing program is named and is no failure.`,
  flags: {},
});

const university = 1;

/** Polls until the value exists; a server's jobs take some seconds. */
async function until<Value>(what: string, read: () => Promise<Value | undefined>): Promise<Value> {
  for (let second = 0; second < 120; second += 1) {
    const value = await read();
    if (value !== undefined) return value;
    await sleep(1000);
  }
  throw new ToolFailure(`${what} did not arrive within two minutes`);
}

/** The session of an accepted launch. */
async function sessionOf(base: string, { address, html }: LaunchedPage): Promise<AnyJson> {
  const code = address && new URLSearchParams(new URL(address).hash.slice(1)).get("code");
  if (!code) throw new ToolFailure(`a launch was refused: ${html}`);
  return createApiCaller(base)("POST", "/auth/launches", { code });
}

const teacher = { name: "Grace Hopper", role: "Instructor" } as const;
const learner = { name: "Ada Lovelace", role: "Learner" } as const;

async function registerAndBind(base: string, admin: ApiCaller, lms: string): Promise<AnyJson> {
  const all = `/universities/${university}/lti-platforms`;
  const addresses = {
    auth_login_url: `${lms}/auth`,
    auth_token_url: `${lms}/token`,
    jwks_url: `${lms}/keys`,
  };
  const { id } = await admin("POST", all, {
    name: "lti1p3platform",
    issuer: lms,
    client_id: "learning",
    ...addresses,
  });
  await admin("POST", `${all}/${id}/deployments`, { deployment_id: "1" });
  const { html } = await launchLtiTool(lms, "teacher", { ...teacher, link: "first" });
  const { ticket, cookie } = await openWindowReturningTicket(`${base}/lti/${university}`, html);
  const [offering] = await admin("GET", `/offerings?university_id=${university}&limit=1`);
  const body = { ticket, course_offering_id: offering.id, is_own_launch: false };
  const bound = await admin("POST", `/universities/${university}/lti-contexts`, body, cookie);
  printStep("registration", "ok: registered manually, and its first launch led to binding its course");
  return { ...bound, offering };
}

async function pickLinks(base: string, lms: string, { offering }: AnyJson): Promise<AnyJson[]> {
  const { access_token, launch: told } = await sessionOf(
    base,
    await launchLtiTool(lms, "teacher", { ...teacher, links: true }),
  );
  const api = createApiCaller(base, access_token);
  const outline = await api("GET", `/courses/${offering.course_id}/offerings/${offering.id}/outline`);
  const items = outline.modules.flatMap(({ items }: AnyJson) => items).slice(0, 40);
  const links = [{}, ...items.map(({ id }: AnyJson) => ({ content_item_id: id }))];
  const where = `/offerings/${offering.id}/lti-links`;
  const { address } = await api("POST", where, { ticket: told.deep_linking.ticket, links });
  const taken = await submitDeepLinks(address);
  if (taken.length !== links.length)
    throw new ToolFailure(`it accepted ${taken.length} of ${links.length} links`);
  printStep("deep linking", `ok: it verified and accepted ${taken.length} links`);
  return taken;
}

async function readRoster(admin: ApiCaller, { id, offering }: AnyJson): Promise<void> {
  const all = `/offerings/${offering.id}/lti-rosters`;
  await admin("POST", `${all}/${id}`, { mode: "WHOLE" });
  const { counts, failure } = await until("the roster", async () =>
    (await admin("GET", all)).find((one: AnyJson) => one.lti_context_id === id && one.ended_at),
  );
  if (failure || counts?.members !== 3) throw new ToolFailure(`NRPS: ${failure ?? JSON.stringify(counts)}`);
  printStep("NRPS", `ok: ${counts.members} members, ${counts.enrolled} enrolled`);
}

async function sendGrade(
  base: string,
  admin: ApiCaller,
  lms: string,
  taken: AnyJson[],
  { offering }: AnyJson,
): Promise<void> {
  const column = taken.find(({ lineItem, custom }) => lineItem && custom.content_item_id);
  if (!column) return printStep("AGS", "skipped: the course has no item with points");
  const hint = { ...learner, link: "graded", custom: column.custom };
  const { access_token } = await sessionOf(base, await launchLtiTool(lms, "learner", hint));
  printStep("launch", "ok: a learner launched the link of an item");
  const { id } = await createApiCaller(base, access_token)("GET", "/users/me");
  const item = column.custom.content_item_id;
  const cell = { score: 1, reason: "lti-check" };
  await admin("PUT", `/assessments/offerings/${offering.id}/grades/${id}/items/${item}`, cell);
  const release = { content_item_ids: [Number(item)], released: true };
  await admin("POST", `/assessments/offerings/${offering.id}/grades/release`, release);
  const score = await until("a score", async () => {
    const { scores } = (await (await fetch(`${lms}/seen`)).json()) as AnyJson;
    return scores.find((one: AnyJson) => one.userId === "learner");
  });
  printStep("AGS", `ok: it has a score of ${score.scoreGiven} of ${score.scoreMaximum}`);
}

const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-lti-check-"));
let platform: Platform | undefined;
let lms: ReturnType<typeof spawn> | undefined;
try {
  const python = await tryInstallingPythonWithPackages(folder, "lti1p3platform==0.1.8");
  if (python) {
    platform = await startOwnPlatform(folder);
    const { base } = platform;
    const program = fileURLToPath(new URL("../../proof/lti-check/platform.py", import.meta.url));
    lms = spawn(python, [program, `${base}/lti/${university}`], { stdio: ["ignore", "pipe", "inherit"] });
    if (!lms.stdout) throw new Error("it has an output");
    const [address] = (await once(createInterface(lms.stdout), "line")) as [string];
    const { access_token } = await createApiCaller(base)("POST", "/auth/login", demoRegistrar);
    const admin = createApiCaller(base, access_token);
    const bound = await registerAndBind(base, admin, address);
    const taken = await pickLinks(base, address, bound);
    await sendGrade(base, admin, address, taken, bound);
    await readRoster(admin, bound);
  }
} catch (error) {
  if (!(error instanceof ToolFailure)) throw error;
  console.log(error.message);
  process.exitCode = 1;
} finally {
  lms?.kill();
  await platform?.stop();
  await rm(folder, { recursive: true, force: true });
}
