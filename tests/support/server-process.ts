import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { nodeArguments } from "../../server/node-arguments.ts";

/** A server process that can be stopped gracefully, killed or frozen. */
export type ServerProcess = {
  url: string;
  stop(): Promise<void>;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
};

export const secretKey = "a secret of the tests, long enough for HS256";

/**
 * Starts a server process on that database. Its tutor calls the LLM at `llmUrl`; `onLog` gets each log line.
 */
export function startServerProcess(
  databaseUrl: string,
  llmUrl: string,
  onLog?: (line: string) => void,
): Promise<ServerProcess> {
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
    stdio: ["ignore", onLog ? "pipe" : "ignore", "inherit", "ipc"],
    execArgv: nodeArguments,
  });
  if (onLog && child.stdout) createInterface(child.stdout).on("line", onLog);
  return new Promise((resolve, reject) => {
    child.once("message", (ready: { url: string }) =>
      resolve({
        ...ready,
        stop: () => end(child, "SIGTERM"),
        kill: () => end(child, "SIGKILL"),
        freeze: () => child.kill("SIGSTOP"),
        thaw: () => child.kill("SIGCONT"),
      }),
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
