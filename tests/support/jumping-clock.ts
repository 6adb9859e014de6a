import { globSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { migrate } from "../../lib/platform/db/migrations/migrate.ts";
import type { TestDatabase } from "./database.ts";
import { debianPostgres, startDebianPostgres } from "./debian-postgres.ts";

/** Debian's libfaketime, which gives a process another clock. */
const faketime: string | undefined = globSync("/usr/lib/*/faketime/libfaketime.so.1")[0];

export const canJump = debianPostgres !== undefined && faketime !== undefined;

/** A migrated database on a server whose clock `jump` moves by minutes, apart from the real time. */
export async function openJumpingDatabase() {
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-clock-"));
  await chmod(folder, 0o755);
  const offset = path.join(folder, "offset");
  const jump = (minutes: number) => writeFile(offset, `${minutes < 0 ? "" : "+"}${minutes}m`);
  await jump(0);
  const server = await startDebianPostgres(String(debianPostgres), {
    LD_PRELOAD: String(faketime),
    FAKETIME_TIMESTAMP_FILE: offset,
    // The server looks at the file for each reading of its clock.
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  });
  const run = async (statement: string, url = server.url) => {
    const client = new pg.Client(url);
    await client.connect();
    return client.query(statement).finally(() => client.end());
  };
  await run("create database jumping");
  await run("alter system set jit = off");
  await run("select pg_reload_conf()");
  const url = server.url.replace(/\/postgres$/, "/jumping");
  await migrate(url);
  const database: TestDatabase = {
    url,
    run: async (statement) => (await run(statement, url)).rows,
    async drop() {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
  return { database, jump };
}
