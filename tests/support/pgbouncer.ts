import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
// biome-ignore lint/plugin: it asks again until PgBouncer listens or ends
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../scripts/dev/free-port.ts";
import { chooseUser } from "../../scripts/dev/postgres-binaries.ts";

/** Path of Debian's PgBouncer (`apt-get install pgbouncer`). */
export const pgbouncer: string | undefined = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find(existsSync);

export type Pooler = {
  /** The URL of the same database through the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
};

/** Starts it in transaction mode: each transaction may get another connection. */
export async function startPgbouncer(binary: string, serverUrl: string): Promise<Pooler> {
  const user = await chooseUser();
  const server = new URL(serverUrl);
  const port = await freePort();
  const folder = await mkdtemp(path.join(tmpdir(), "pgbouncer-"));
  const settings = path.join(folder, "pgbouncer.ini");
  await writeFile(
    settings,
    `[databases]
* = host=127.0.0.1 port=${server.port} user=${server.username}${server.password && ` password=${decodeURIComponent(server.password)}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
max_client_conn = 500
`,
  );
  await chmod(folder, 0o755);
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const child = spawn(binary, ["--quiet", settings], { ...user, cwd: folder, stdio: "ignore" });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`PgBouncer ended with ${code}`);
  });
  ended.catch(() => {}); // Its process is stopped at the end.
  await Promise.race([untilListening(port), ended]);
  return {
    through: (url) => Object.assign(new URL(url), { port: String(port) }).href,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(port: number): Promise<void> {
  const isListening = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ host: "127.0.0.1", port }, () => resolve(true));
      socket.once("error", () => resolve(false)).once("connect", () => socket.destroy());
    });
  while (!(await isListening())) await sleep(50);
}
