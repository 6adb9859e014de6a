import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { type RuntimeApi, startRuntimeApi } from "../support/runtime-api.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** A function in its own process, under AWS's runtime interface client. */
export type RuntimeFunction = Pick<RuntimeApi, "invoke" | "extensions"> & {
  pid: number;
  log(): string;
  /** Pauses the process, as Lambda does between events; `thaw` resumes it. */
  freeze(): void;
  thaw(): void;
  /** Sends Lambda's shutdown signal and waits for the exit. */
  stop(): Promise<void>;
};

export type UnpackedFunction = { folder: string; handler: string; environment: Record<string, string> };

/** Starts a function from its unpacked folder. Rejects if initialization fails. */
export async function startFunction({
  folder,
  handler,
  environment,
}: UnpackedFunction): Promise<RuntimeFunction> {
  const api = await startRuntimeApi();
  const child = startClient(api.address, folder, handler, environment);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => output.push(data));
  const log = () => Buffer.concat(output).toString();
  const ended = endOf(child, log);
  ended.catch(() => {}); // A stopped function has ended as it should.
  const stop = async () => {
    await end(child);
    await api.close();
  };
  try {
    await Promise.race([api.initialised, ended]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    invoke: (event, onChunk) => Promise.race([api.invoke(event, onChunk), ended]),
    extensions: api.extensions,
    pid: child.pid ?? Number.NaN,
    log,
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
    stop,
  };
}

function startClient(address: string, folder: string, handler: string, environment: Record<string, string>) {
  const preload = path.join(import.meta.dirname, "runtime-client.ts");
  const client = path.join(root, "node_modules/aws-lambda-ric/index.mjs");
  return spawn(process.execPath, ["--import", preload, client], {
    cwd: folder,
    env: {
      ...environment,
      PATH: process.env["PATH"],
      _HANDLER: handler,
      LAMBDA_TASK_ROOT: folder,
      AWS_REGION: "eu-west-2",
      AWS_LAMBDA_RUNTIME_API: address,
      AWS_LAMBDA_FUNCTION_NAME: path.basename(folder),
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "1024",
      AWS_LAMBDA_LOG_GROUP_NAME: "local",
      AWS_LAMBDA_LOG_STREAM_NAME: "local",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function endOf(child: ChildProcess, log: () => string): Promise<never> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  throw new Error(`the function's process has ended:\n${log()}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGCONT");
  child.kill("SIGTERM");
  // biome-ignore lint/plugin: it ends what hangs, and no test waits for it
  const impatient = setTimeout(() => child.kill("SIGKILL"), 2000);
  await exit;
  clearTimeout(impatient);
}
