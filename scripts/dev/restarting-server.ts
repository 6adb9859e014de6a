import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { watchFolders } from "./watch-folders.ts";

export type RestartingServer = { stop(): Promise<void> };

export type RestartingServerOptions = {
  /** Starts a process with a channel, which ends when the channel is closed. */
  start: () => ChildProcess;
  /** What the server is made of. */
  folders: readonly string[];
  report: (message: string) => void;
};

/** How long a server may take to end before it is killed; its own time for running answers is shorter. */
const PATIENCE_MS = 5000;

/**
 * Keeps a server running on the code as it is: a change ends its process and starts another. One that ends by itself, as
 * by a syntax error, is started again with the next change.
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
      if (!released.has(child)) report(`The server ended with ${signal ?? code}: waiting for a change`);
    });
    return child;
  }

  async function restart(): Promise<void> {
    report("The code has changed: starting the server again");
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
