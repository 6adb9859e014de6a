import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export type Started = {
  /** What the command printed to its standard output. Rejects with all output unless it ends with 0. */
  output: Promise<string>;
  /** Called with each piece of what it prints. */
  onOutput(listener: (piece: string) => void): void;
};

/**
 * Starts a command as the leader of a process group. When the test ends, also by its timeout, the group receives SIGTERM, and
 * the test waits for its end: a script stops the PostgreSQL that it started.
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
  output.catch(() => {}); // Its caller may have ended before.
  return {
    output,
    onOutput(listener) {
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (piece) => listener(String(piece)));
    },
  };
}
