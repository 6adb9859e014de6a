import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../scripts/dev/free-port.ts";
import { chooseUser } from "../../scripts/dev/postgres-binaries.ts";

const run = promisify(execFile);

/** The programs of Debian's newest PostgreSQL. It has JIT compilation, unlike the embedded one. */
export const debianPostgres: string | undefined = globSync("/usr/lib/postgresql/*/lib/llvmjit.so")
  .map((library) => path.resolve(library, "../../bin"))
  .toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }))
  .at(-1);

/** `environment` is the server's, beside this process's. */
export async function startDebianPostgres(
  binaries: string,
  environment: Record<string, string> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const user = await chooseUser();
  const folder = await mkdtemp(path.join(tmpdir(), "debian-postgres-"));
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  await chmod(folder, 0o755);
  const as = { ...user, cwd: folder };
  const data = path.join(folder, "data");
  const trust = [
    "--auth=trust",
    "--username=learning_platform",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  ];
  await run(path.join(binaries, "initdb"), [`--pgdata=${data}`, ...trust], as);
  const port = await freePort();
  const flags = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  const pgCtl = (...words: string[]) =>
    run(path.join(binaries, "pg_ctl"), [...words, "--wait", "--silent", `--pgdata=${data}`], {
      ...as,
      env: { ...process.env, ...environment },
    });
  await pgCtl("start", `--log=${path.join(folder, "log")}`, `--options=${flags}`);
  return {
    url: `postgresql://learning_platform@127.0.0.1:${port}/postgres`,
    async stop() {
      await pgCtl("stop", "--mode=fast");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
