/**
 * `npm run offline`: serves every route of serverless.yml as functions, with the local database, until
 * Ctrl-C.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildApp } from "../app/build.ts";
import { loadConfig, settingNames } from "../lib/config.ts";
import { connectDatabase } from "../lib/platform/db/driver/connect.ts";
import { migrate } from "../lib/platform/db/migrations/migrate.ts";
import { readEnvironment } from "../server/environment.ts";
import { nodeArguments } from "../server/node-arguments.ts";
import { linkProject, serverless } from "./build/package-service.ts";
import { commandLine } from "./command-line.ts";
import { dataDirOf, refuseProduction } from "./dev/data-dir.ts";
import { startPracticeTutor } from "./dev/practice-tutor.ts";
import { keepSecretKey, localSettings } from "./dev/settings.ts";
import { isDatabaseGiven, openDatabase } from "./ops/database.ts";
import { needsPracticeTutor } from "./ops/settings.ts";
import { seed } from "./seed.ts";

const root = path.resolve(import.meta.dirname, "..");

const { flags } = commandLine({
  usage: `npm run offline -- [--lambdaPort PORT]

Serves every route of serverless.yml by its function, on the local database, until Ctrl-C. The tutor's answer arrives in one
piece: npm run dev streams it. The setting PORT is the HTTP port; --lambdaPort is the port for invoking functions by name, as the
AWS command line does.`,
  flags: { lambdaPort: { type: "string", default: "3002" } },
});

try {
  await using started = new AsyncDisposableStack();
  const settings = await prepare(started);
  const project = await prepareProject(started);
  const words = [
    ...nodeArguments,
    serverless,
    ...["offline", "--stage", "local", "--noPrependStageInUrl", "--noSponsor", "--host", "127.0.0.1"],
    ...["--httpPort", settings["PORT"] ?? "3000", `--param=secretSettings=${JSON.stringify(settings)}`],
    ...["--lambdaPort", flags.lambdaPort],
  ];
  // The framework offers streaming but loses the chunks. Without it, functions respond in one piece.
  const env = {
    ...{ ...process.env, AWS_LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA: "1" },
    ...(process.stderr.isTTY && { FORCE_COLOR: "1" }),
  };
  const server = spawn(process.execPath, words, { cwd: project, env, stdio: ["inherit", "inherit", "pipe"] });
  server.stderr.on("data", explainStreamingWhenReady());
  // Ctrl-C reaches both processes, other signals only this one.
  process.on("SIGINT", () => {});
  process.once("SIGTERM", () => server.kill("SIGTERM"));
  const [code] = await once(server, "exit");
  process.exitCode = code ?? 0;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Passes on the framework's log. When it is ready, prints once what differs from production. */
function explainStreamingWhenReady(): (text: Buffer) => void {
  let isExplained = false;
  return (text) => {
    process.stderr.write(text);
    if (isExplained || !text.includes("Server ready")) return;
    isExplained = true;
    console.log("\nThe tutor's answer arrives in one piece here. To see it streamed, run npm run dev.\n");
  };
}

/** Opens and migrates the local database, and returns the functions' settings. */
async function prepare(started: AsyncDisposableStack): Promise<Record<string, string | undefined>> {
  const environment = readEnvironment();
  refuseProduction(environment);
  const SECRET_KEY = environment["SECRET_KEY"]?.trim() || (await keepSecretKey(dataDirOf(environment)));
  const { url } = started.use(await openDatabase(environment, (message) => console.log(message)));
  await migrate(url);
  const tutor = needsPracticeTutor(environment) ? await startPracticeTutor() : undefined;
  started.defer(async () => tutor?.close());
  // Each function has its own connections, as on Lambda. Lambda's credential store is unavailable here.
  const asFunction = { DATABASE_POOL_SIZE: "2", CREDENTIAL_STORE: "database", ...environment, SECRET_KEY };
  const settings = localSettings(asFunction, url, tutor?.url ?? "");
  const config = loadConfig(settings);
  const { db, close } = await connectDatabase({ url });
  if (!isDatabaseGiven(environment)) await seed(db, { now: new Date(), bcryptCost: config.BCRYPT_COST });
  await close();
  return Object.fromEntries(settingNames.map((name) => [name, settings[name]]));
}

/** Static files are linked next to the built code, as in a function's package. */
async function prepareProject(started: AsyncDisposableStack): Promise<string> {
  await buildApp();
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-offline-"));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  await linkProject(folder);
  const built = path.join(folder, ".esbuild/.build");
  for (const found of ["docs", "node_modules", "app/built", ...globSync("functions/*/*/*/", { cwd: root })]) {
    await mkdir(path.dirname(path.join(built, found)), { recursive: true });
    await symlink(path.join(root, found), path.join(built, found), "junction");
  }
  return folder;
}
