import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { promisify } from "node:util";
import { unpooledDatabaseUrl } from "../../../lib/platform/db/driver/address.ts";
import { openConnection } from "../../../lib/platform/db/driver/connect.ts";

type Program = "pg_dump" | "pg_restore";
type Connection = Awaited<ReturnType<typeof openConnection>>;

/** A PostgreSQL program is missing or too old. The message says what to install. */
class Unfit extends Error {
  override name = "Unfit";
}

/** Throws `Unfit` if pg_dump is older than the server, whose features it may not know. */
export async function checkDump(url: string): Promise<void> {
  await checkProgram("pg_dump", await majorOf(url), "the server is");
  await checkNoPooler(url);
}

/**
 * Throws `Unfit` if pg_restore is older than the pg_dump that wrote the file. The server's version does not
 * matter: pg_restore sends SQL.
 */
export async function checkRestore(url: string, file: string): Promise<void> {
  await checkProgram("pg_restore", await majorOfFile(file), "the file is of");
  await checkNoPooler(url);
}

async function checkProgram(program: Program, needed: number, because: string): Promise<void> {
  const { stdout } = await promisify(execFile)(program, ["--version"]).catch(() => ({ stdout: "" }));
  const found = Number(/\s(\d+)/.exec(stdout)?.[1] ?? 0);
  if (found > 0 && found >= needed) return;
  const there = found > 0 ? `is of PostgreSQL ${found}` : "is not installed";
  throw new Unfit(
    `${program} ${there}, and ${because} PostgreSQL ${needed}: install its programs of version ${needed} or newer ` +
      `(Debian: apt-get install postgresql-client-${needed}; or run this in the image postgres:${needed})`,
  );
}

/** The version of pg_dump in a file's header. */
export async function majorOfFile(file: string): Promise<number> {
  await using opened = await open(file);
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(1024), 0, 1024, 0);
  const head = buffer.subarray(0, bytesRead);
  if (head.toString("latin1", 0, 5) !== "PGDMP") throw new Error(`${file} is not a backup of npm run backup`);
  const [newer = 0, minor = 0, intSize = 4] = [head[5], head[6], head[8]];
  const form = newer * 100 + minor;
  // A number is a sign byte and its bytes, least significant first; a text is its length and its bytes.
  let at = form >= 115 ? 12 : 12 + intSize;
  const number = () => {
    at += 1 + intSize;
    return head.readUIntLE(at - intSize, intSize);
  };
  const text = () => {
    const length = number();
    at += length;
    return head.toString("latin1", at - length, at);
  };
  // Skips time, database and server.
  for (let part = 0; part < 7; part += 1) number();
  text();
  text();
  return Number.parseInt(text(), 10);
}

/**
 * Throws `Unfit` for a pooler in transaction mode: these programs change session state, which would affect
 * others. Detected when two open connections share a session.
 */
export async function checkNoPooler(url: string): Promise<void> {
  const [one, other] = await Promise.all([openConnection(url), openConnection(url)]);
  try {
    if ((await backendOf(one)) !== (await backendOf(other))) return;
    throw new Unfit(
      "DATABASE_URL leads to a pooler that shares connections between transactions: the settings of this command would affect " +
        "other clients. Set DIRECT_DATABASE_URL to the database's own address",
    );
  } finally {
    await Promise.all([one.end(), other.end()]);
  }
}

async function backendOf(client: Connection): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid;
}

async function majorOf(url: string): Promise<number> {
  const client = await openConnection(url);
  try {
    const { rows } = await client.query<{ major: number }>(
      "select current_setting('server_version_num')::int / 10000 as major",
    );
    return rows[0]?.major ?? 0;
  } finally {
    await client.end();
  }
}

/**
 * Runs a program on the database, past Neon's pooler. The address is in the environment, because command
 * lines are visible to others.
 */
export async function runProgram(program: Program, url: string, words: readonly string[]): Promise<void> {
  const child = spawn(program, words, {
    env: { ...process.env, ...addressOf(url) },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${program} failed, see above`);
}

/** An address as environment variables of PostgreSQL's programs. */
export function addressOf(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(unpooledDatabaseUrl(url));
  const given = {
    PGHOST: decodeURIComponent(hostname),
    PGPORT: port || "5432",
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGSSLMODE: sslModeOf(searchParams.get("sslmode")),
    // The operating system's certificates, which the service's driver also trusts.
    PGSSLROOTCERT:
      searchParams.get("sslmode") === "verify-full" ? (process.env["PGSSLROOTCERT"] ?? "system") : "",
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value));
}

/** The driver's `no-verify` is their `require`. */
const sslModeOf = (mode: string | null): string => (mode === "no-verify" ? "require" : (mode ?? ""));
