import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";

/** A server process of its own, and two ways to end it: in order, and as a machine does, at once. */
export type ServerProcess = { url: string; stop(): Promise<void>; kill(): Promise<void> };

export const secretKey = "a secret of the tests, long enough for HS256";

/** Starts a server process on that database, whose tutor asks the LLM at `llmUrl`. */
export function startServerProcess(databaseUrl: string, llmUrl: string): Promise<ServerProcess> {
  const child = fork(path.join(import.meta.dirname, "server-process-main.ts"), {
    env: {
      PATH: process.env["PATH"],
      ENVIRONMENT: "development",
      SECRET_KEY: secretKey,
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_SIZE: "10",
      LLM_PROVIDER: "direct_api",
      DIRECT_API_KEY: "key-of-the-tests",
      DIRECT_API_MODEL: "model-of-the-tests",
      DIRECT_API_BASE_URL: llmUrl,
      ENABLE_ACCESS_LOG: "false",
      LOG_FILE_ENABLED: "false",
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv: [],
  });
  return new Promise((resolve, reject) => {
    child.once("message", (ready: { url: string }) =>
      resolve({ ...ready, stop: () => end(child, "SIGTERM"), kill: () => end(child, "SIGKILL") }),
    );
    child.once("exit", (code) => reject(new Error(`the server process ended with ${code}`)));
  });
}

function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const exit = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill(signal);
  return exit;
}
