import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  connectDatabase,
  type DatabaseHandles,
  type DatabaseOptions,
} from "../../../lib/platform/db/driver/connect.ts";
import { cloneDatabase, neonProxyAddress, type TestDatabase } from "../../support/database.ts";
import { certificateFile, startTlsFront, type TlsFront } from "../../support/tls-front.ts";

let clone: TestDatabase;
const opened: DatabaseHandles[] = [];

beforeEach(async () => {
  clone = await cloneDatabase();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await clone.drop();
});

async function open(options: DatabaseOptions): Promise<DatabaseHandles> {
  const database = await connectDatabase(options);
  opened.push(database);
  return database;
}

describe.each(["pg", "neon"] as const)("an instance, through %s", (driver) => {
  test("has two connections at most, for any number of transactions", async () => {
    const neonProxy = neonProxyAddress(driver);
    const { db } = await open({ url: clone.url, ...(neonProxy && { neonProxy }) });
    // Each waits for the other, which forces two connections.
    const { promise: both, resolve: bothHaveBegun } = Promise.withResolvers<void>();
    let begun = 0;
    const backends = await Promise.all(
      Array.from({ length: 12 }, () =>
        db.transaction(async (tx) => {
          begun += 1;
          if (begun === 2) bothHaveBegun();
          await both;
          const { rows } = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
          return rows[0]?.pid;
        }),
      ),
    );
    expect(new Set(backends).size).toBe(2);
  });
});

describe("PostgreSQL behind TLS", () => {
  let front: TlsFront;

  beforeEach(async () => {
    front = await startTlsFront(Number(new URL(clone.url).port));
    return () => front.close();
  });

  const ask = async (parameters: string) => {
    const url = Object.assign(new URL(clone.url), { port: String(front.port), search: parameters });
    return (await open({ url: url.href })).db.execute(sql`select 1 as one`);
  };

  test("is spoken to encrypted, with the authority that the address names", async () => {
    const { rows } = await ask(`sslmode=verify-full&sslrootcert=${certificateFile}`);
    expect(rows).toEqual([{ one: 1 }]);
    expect(front.encrypted).toBe(1);
  });

  test("is rejected if its certificate is unknown", async () => {
    await expect(ask("sslmode=require")).rejects.toMatchObject({
      cause: { message: expect.stringContaining("self-signed") },
    });
  });
});
