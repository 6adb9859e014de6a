import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import pg from "pg";
import { loadConfig } from "../../lib/config.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { createTokenService } from "../../lib/platform/secrets/tokens.ts";
import { seed } from "../../scripts/seed.ts";
import { standInKeys, startS3StandIn } from "../../tests/support/s3-stand-in.ts";
import type { ServerUrlAndPid } from "./baseline/environment.ts";
import { type BenchEnvironment, benchServiceSettings } from "./environment.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

/** A large file below the multipart limit. */
const megabytes = 90;
const files = 4;

/** Limit of bytes that a process reads and writes per file request, sockets included. */
export const maxProcessIoKilobytesPerFile = 100;

/** The longest time one request may block the event loop. */
const maxFileRequestBlockingMs = 20;

/**
 * The server's share of large files in a bucket: bytes it reads and writes, and how long it blocks the event
 * loop.
 */
export async function benchFileIoAndBlocking(stage: BenchEnvironment): Promise<BenchVerdict[]> {
  const { kilobytes, turn } = await measureFileIoAndBlocking(stage, { megabytes, files });
  const what = `a file of ${megabytes} MB, sent and read`;
  return [
    upperLimitVerdict(what, kilobytes, maxProcessIoKilobytesPerFile, "kB through the process that answers"),
    upperLimitVerdict(what, turn, maxFileRequestBlockingMs, "ms without serving other requests"),
  ];
}

/** Per file in kilobytes, and the longest turn in milliseconds. Each file is announced, completed and requested. */
export async function measureFileIoAndBlocking(
  stage: BenchEnvironment,
  { megabytes, files }: { megabytes: number; files: number },
): Promise<{ kilobytes: number; turn: number }> {
  const bucket = await startS3StandIn();
  try {
    const university = await makeUniversity(stage.databaseUrl);
    const settings = {
      ...benchServiceSettings(stage.databaseUrl),
      FILE_STORE: bucket.setting,
      AWS_ACCESS_KEY_ID: standInKeys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: standInKeys.secretAccessKey,
    };
    const { access_token } = await createTokenService(loadConfig(settings), () => new Date()).issue({
      id: 1,
    });
    const { url, pid, ask } = await stage.start<ServerUrlAndPid>("platform-server.ts", settings);
    const call = callerOf(`${url}/api/v1`, access_token);
    // Loads the S3 client and prepares statements.
    await passOf(call, university, randomBytes(1000));
    await ask("longest turn");
    const before = await bytesThrough(pid);
    for (let number = 0; number < files; number += 1)
      await passOf(call, university, randomBytes(megabytes * 1_000_000));
    const kilobytes = ((await bytesThrough(pid)) - before) / 1000 / files;
    return { kilobytes, turn: Number(await ask("longest turn")) };
  } finally {
    await bucket.close();
  }
}

type Call = <Answer = unknown>(method: string, path: string, body?: object) => Promise<Answer>;

const callerOf =
  (base: string, token: string): Call =>
  async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
    const response = await fetch(base + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  };

type Promised = { id: number; upload: { url: string; headers: Record<string, string> } };

/** Uploads a file and reads it, as a page does. */
async function passOf(call: Call, university_id: number, bytes: Buffer): Promise<void> {
  const promised = {
    purpose: "ASSET",
    university_id,
    name: "film.bin",
    media_type: "application/octet-stream",
  };
  const file = await call<Promised>("POST", "/files/", { ...promised, size: bytes.length });
  const sent = await fetch(file.upload.url, {
    method: "PUT",
    headers: file.upload.headers,
    body: new Uint8Array(bytes),
  });
  if (!sent.ok) throw new Error(`the bucket says ${sent.status}`);
  await call("POST", `/files/${file.id}/complete`, {});
  const { url } = await call<{ url: string }>("GET", `/files/${file.id}/content`);
  const { byteLength } = await (await fetch(url)).arrayBuffer();
  if (byteLength !== bytes.length) throw new Error(`${byteLength} bytes came`);
}

/** Bytes that a process has read and written, by /proc. */
async function bytesThrough(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/io`, "utf8");
  const of = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(text)?.[1]);
  return of("rchar") + of("wchar");
}

/** Creates a university with unused quota; the demo's platform administrator uploads. */
async function makeUniversity(databaseUrl: string): Promise<number> {
  const database = await connectDatabase({ url: databaseUrl });
  await seed(database.db, { now: new Date(), bcryptCost: 4 });
  await database.close();
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query("select id from universities order by id limit 1");
  await client.query(
    "insert into user_university_roles (user_id, university_id, role) values (1, $1, 'platform_admin') on conflict do nothing",
    [rows[0].id],
  );
  await client.end();
  return rows[0].id;
}
