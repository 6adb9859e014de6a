import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";

/** A server process of its own, and the way to end it as a machine does: at once. */
export type ServerProcess = { url: string; kill(): Promise<void> };

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
    child.once("message", (ready: { url: string }) => resolve({ ...ready, kill: () => kill(child) }));
    child.once("exit", (code) => reject(new Error(`the server process ended with ${code}`)));
  });
}

function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const exit = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGKILL");
  return exit;
}
