import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export type Started = {
  /** The command's standard output. Rejects with all output if the exit code is not 0. */
  output: Promise<string>;
  onOutput(listener: (piece: string) => void): void;
};

/**
 * Starts a command in its own process group. When the test ends or times out, sends SIGTERM to the group and
 * waits. A script stops the PostgreSQL that it started.
 */
export function startCommand(
  [program = "", ...words]: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Started {
  const child = spawn(program, words, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), "SIGTERM");
    await ended;
  });
  const said = Promise.all([text(child.stdout), text(child.stderr), ended]);
  const output = said.then(([stdout, stderr, [code, signal]]) => {
    if (code === 0) return stdout;
    throw new Error(`${[program, ...words].join(" ")} ended with ${code ?? signal}:\n${stdout}${stderr}`);
  });
  output.catch(() => {}); // Its caller may have ended.
  return {
    output,
    onOutput(listener) {
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (piece) => listener(String(piece)));
    },
  };
}
