import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { watchFolders } from "./watch-folders.ts";

export type RestartingServer = { stop(): Promise<void> };

export type RestartingServerOptions = {
  /** Starts a process with an IPC channel; it ends when the channel closes. */
  start: () => ChildProcess;
  folders: readonly string[];
  report: (message: string) => void;
};

/** Time to end before the server is killed; longer than its own limit for running answers. */
const PATIENCE_MS = 5000;

/**
 * Keeps a server running on the current code: each change restarts it. A server that crashes, for example by
 * a syntax error, starts again at the next change.
 */
export function startRestartingServer({ start, folders, report }: RestartingServerOptions): RestartingServer {
  const released = new WeakSet<ChildProcess>();
  let server = begin();
  let restarts = Promise.resolve();
  const watched = watchFolders(folders, () => {
    restarts = restarts.then(restart);
  });

  function begin(): ChildProcess {
    const child = start();
    child.once("exit", (code, signal) => {
      if (!released.has(child)) report(`The server ended with ${signal ?? code}. Waiting for a change`);
    });
    return child;
  }

  async function restart(): Promise<void> {
    report("The code has changed. Restarting the server");
    await release(server);
    server = begin();
  }

  async function release(child: ChildProcess): Promise<void> {
    released.add(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const timeout = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
    const exit = once(child, "exit");
    if (child.connected) child.disconnect();
    await exit;
    clearTimeout(timeout);
  }

  return {
    async stop() {
      watched.close();
      await restarts;
      await release(server);
    },
  };
}
