import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { hashPassword } from "../../lib/identity/auth/password-hashes.ts";
import { freePort } from "../../scripts/dev/free-port.ts";
import { startPracticeTutor } from "../../scripts/dev/practice-tutor.ts";
import { waitFor } from "../../scripts/ops/smoke/browser.ts";
import {
  type ClassroomIds,
  measuredSignInAccount,
  replaceStoredAnswersWith40Chunks,
} from "./baseline/classroom.ts";
import {
  createPromptsAndStoreFirstAnswer,
  createRequestFactoryFromTokens,
  type OperationRequestFactory,
  type ServerUrlAndPid,
} from "./baseline/environment.ts";
import { type BenchmarkedOperation, buildBenchmarkedOperations } from "./baseline/operations.ts";
import { defaultRoundSchedule, loadTestServersAlternately, quickRoundSchedule } from "./baseline/rounds.ts";
import { type BenchEnvironment, benchServiceSettings } from "./environment.ts";
import type { BenchFlags } from "./flags.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

/** Maximum processor time as a multiple of the other commit's. */
const maxProcessorTimeRatio = 1.03;

const crowd = 16;
const root = path.join(import.meta.dirname, "../..");

type Side = { server: ServerUrlAndPid; operations: BenchmarkedOperation[]; sentBy: OperationRequestFactory };

/**
 * Compares the processor time of each operation, of server and database together, with that of another commit
 * in alternating rounds. Each commit migrates and seeds its own database in the same cluster, and runs as
 * `npm start` with one worker.
 */
export const benchCpuTimeAgainstCommit =
  (commit: string, flags: BenchFlags) =>
  async (stage: BenchEnvironment): Promise<BenchVerdict[]> => {
    await using ends = new AsyncDisposableStack();
    const tutor = await startPracticeTutor();
    ends.defer(() => tutor.close());
    const ours = await startSide(ends, stage, root, tutor.url);
    const other = await startSide(ends, stage, await checkOut(ends, commit), tutor.url);
    const found: BenchVerdict[] = [];
    for (const [at, operation] of ours.operations.entries()) {
      const of = other.operations[at];
      if (!of || !operation.name.includes(flags.only ?? "")) continue;
      const measured = await loadTestServersAlternately(
        { ours: ours.server, other: { ...other.server, sent: other.sentBy(of) } },
        flags.quick ? quickRoundSchedule : defaultRoundSchedule,
        crowd,
        { sent: ours.sentBy(operation), postmaster: stage.postmaster },
      );
      found.push(verdictOn(operation, measured));
    }
    return found;
  };

type Measured = Awaited<ReturnType<typeof loadTestServersAlternately<"ours" | "other">>>;

function verdictOn({ name }: BenchmarkedOperation, { ours, other }: Measured): BenchVerdict {
  const total = (one: Measured["ours"]) => one.process + one.database;
  const verdict = upperLimitVerdict(name, total(ours) / total(other), maxProcessorTimeRatio, "times");
  const shown = (one: Measured["ours"]) => `${one.process.toFixed(2)} + ${one.database.toFixed(2)} ms`;
  return {
    ...verdict,
    found: `${verdict.found} (${shown(ours)} against ${shown(other)}, ${ours.errors + other.errors} errors)`,
    reached: verdict.reached && ours.errors + other.errors === 0,
  };
}

/** The commit's files with its packages, in a temporary folder. */
async function checkOut(ends: AsyncDisposableStack, commit: string): Promise<string> {
  const folder = path.join(await mkdtemp(path.join(tmpdir(), "learning-platform-commit-")), "checkout");
  ends.defer(() => rm(path.dirname(folder), { recursive: true, force: true }));
  await run(root, "git", "worktree", "add", "--detach", folder, commit);
  ends.defer(() => run(root, "git", "worktree", "remove", "--force", folder));
  const [ours, theirs] = await Promise.all(
    [root, folder].map((one) => readFile(path.join(one, "package-lock.json"), "utf8")),
  );
  if (ours === theirs) await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  else await run(folder, "npm", "ci");
  return folder;
}

async function startSide(
  ends: AsyncDisposableStack,
  stage: BenchEnvironment,
  folder: string,
  tutorUrl: string,
): Promise<Side> {
  const databaseUrl = await createDatabase(stage.databaseUrl);
  const port = await freePort();
  const settings = {
    ...benchServiceSettings(databaseUrl, tutorUrl),
    // A production server refuses the demonstration's accounts.
    ENVIRONMENT: "staging",
    ...{ BCRYPT_COST: "12", WORKERS: "1", PORT: String(port) },
  };
  const env = { ...process.env, ...settings };
  await run({ cwd: folder, env }, "npm", "run", "--silent", "migrate");
  await run({ cwd: folder, env: { ...env, ENVIRONMENT: "development" } }, "npm", "run", "--silent", "seed");
  const hash = await hashPassword(measuredSignInAccount.password, 12);
  const { makeClassroom } = await classroomOf(folder);
  const classroom = await makeClassroom(databaseUrl, hash);
  const { admin, learners } = await setPasswords(databaseUrl, classroom, hash);
  const server = await startServer(ends, folder, env, `http://127.0.0.1:${port}`);
  const tokens: string[] = [];
  for (const email of learners) tokens.push(await signIn(server.url, email));
  const sentBy = createRequestFactoryFromTokens({ admin: await signIn(server.url, admin), learners: tokens });
  const operations = buildBenchmarkedOperations(classroom);
  await createPromptsAndStoreFirstAnswer(server.url, sentBy, operations);
  await replaceStoredAnswersWith40Chunks(databaseUrl, classroom);
  return { server, operations, sentBy };
}

/** The commit's own, because its tables may be others. Earlier commits have it in other folders. */
function classroomOf(folder: string): Promise<typeof import("./baseline/classroom.ts")> {
  const [file] = globSync("{proof,scripts}/bench/*/classroom.ts", { cwd: folder });
  if (!file) throw new Error(`${folder} has no bench/*/classroom.ts`);
  return import(pathToFileURL(path.join(folder, file)).href);
}

async function createDatabase(url: string): Promise<string> {
  const name = `commit_${crypto.randomUUID().replaceAll("-", "")}`;
  await queryOnce(url, `create database ${name}`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** Everyone's password, because tokens of other commits may have other forms. Returns addresses. */
async function setPasswords(url: string, { learners }: ClassroomIds, hash: string) {
  await queryOnce(url, "update users set password_hash = $1", [hash]);
  const rows = await queryOnce(url, "select id, email from users");
  const emails = new Map(rows.map(({ id, email }) => [Number(id), String(email)]));
  const emailOf = (id: number) => emails.get(id) ?? "";
  return { admin: emailOf(1), learners: learners.map(({ id }) => emailOf(id)) };
}

async function queryOnce(url: string, text: string, values: unknown[] = []) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function signIn(url: string, email: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password: measuredSignInAccount.password }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${email} could not sign in: ${text}`);
  return JSON.parse(text).access_token;
}

async function startServer(
  ends: AsyncDisposableStack,
  cwd: string,
  env: NodeJS.ProcessEnv,
  url: string,
): Promise<ServerUrlAndPid> {
  const child = spawn("npm", ["start"], { cwd, env, detached: true, stdio: ["ignore", "ignore", "inherit"] });
  const exit = once(child, "exit");
  ends.defer(async () => {
    // Signals the process group: npm does not forward signals.
    if (child.pid && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await exit;
  });
  if (!child.pid || !(await waitFor(url))) throw new Error(`npm start in ${cwd} did not answer`);
  return { url, pid: child.pid };
}

async function run(
  at: string | { cwd: string; env: NodeJS.ProcessEnv },
  program: string,
  ...words: string[]
) {
  const options = typeof at === "string" ? { cwd: at } : at;
  const child = spawn(program, words, { ...options, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${code}`);
}
