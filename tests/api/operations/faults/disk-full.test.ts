import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { administer } from "../../../support/database.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const mount = (...words: string[]): boolean => spawnSync("mount", words).status === 0;

/** A disk of one megabyte; undefined if this user may not mount one. */
async function mountSmallDisk(): Promise<string | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-disk-"));
  if (mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", folder)) return folder;
  await rm(folder, { recursive: true });
  return undefined;
}

const disk = await mountSmallDisk();
const tablespace = `small_${process.pid}`;

describe.skipIf(!disk)(disk ? "a full disk" : "a full disk: skipped, mounting one needs root", () => {
  afterAll(async () => {
    await world.deps.db.execute("alter table notes set tablespace pg_default");
    await administer(`drop tablespace ${tablespace}`);
    spawnSync("umount", [String(disk)]);
    await rm(String(disk), { recursive: true });
  });

  /** Moves the notes to the small disk, which must belong to the database server's user. */
  async function moveNotes(): Promise<void> {
    const { rows } = await world.deps.db.execute<{ folder: string }>(
      "select current_setting('data_directory') as folder",
    );
    const { uid, gid } = await stat(String(rows[0]?.folder));
    await chown(String(disk), uid, gid);
    await administer(`create tablespace ${tablespace} location '${disk}'`);
    await world.deps.db.execute(`alter table notes set tablespace ${tablespace}`);
  }

  it("rejects writes with 503 until it has space, answers reads, and loses no acknowledged write", async () => {
    const { item } = await make.topic();
    const learner = await make.person();
    const client = world.as(learner);
    // Random text, since PostgreSQL compresses other texts.
    const write = () =>
      client.post("/study/notes", { content_item_id: item.id, body: randomBytes(12_000).toString("base64") });
    expect((await write()).status).toBe(201);
    await moveNotes();

    let written = 1;
    let reply = await write();
    for (; reply.status === 201 && written < 200; reply = await write()) written += 1;
    expect(written).toBeGreaterThan(5);
    expect([reply.status, reply.body, reply.headers.get("retry-after")]).toEqual([
      ...[503, { detail: "The database's disk is full" }, "5"],
    ]);
    expect((await write()).status).toBe(503);
    const listed = await client.get("/study/notes?limit=100");
    expect(listed.status).toBe(200);
    expect(listed.body).toHaveLength(written);

    expect(mount("-o", "remount,size=8m", String(disk))).toBe(true);
    expect((await write()).status).toBe(201);
    expect((await client.get("/study/notes?limit=100")).body).toHaveLength(written + 1);
  });
});
