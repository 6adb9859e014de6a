import { createHash } from "node:crypto";
import { chmodSync, chownSync, cpSync, globSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { migrate } from "../../lib/platform/db/migrations/migrate.ts";
import { startLocalPostgres } from "../../scripts/dev/postgres.ts";
import { chooseUser } from "../../scripts/dev/postgres-binaries.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Data folders of stopped servers, named by the hash of their sources. No server ever runs on one of them. */
const keptFolders = path.join(root, "node_modules/.cache/test-clusters");

/** The current branch's, the previous branch's, and a reserve. */
const mostKept = 3;

/** Sources of a prepared cluster. The lock file has the versions of PostgreSQL and the migrator. */
const sources = [
  "package-lock.json",
  "schema/migrations/**/*.{sql,json}",
  "schema/functions/**/*.{sql,ts}",
  "lib/platform/db/migrations/*.ts",
  "package.json",
  "scripts/dev/postgres*.ts",
  "tests/support/prepared-cluster.ts",
];

/**
 * Fills `dataDir` with a stopped server that has a migrated database. Copies the stored cluster of the same
 * sources, or creates and stores it. Safe for concurrent runs.
 */
export async function prepareCluster(dataDir: string): Promise<void> {
  const kept = path.join(keptFolders, hashOfSources());
  if (await isFolder(kept)) {
    await utimes(kept, new Date(), new Date()).catch(() => {});
    await copyCluster(kept, dataDir);
  } else {
    await makeCluster(dataDir);
    await keepCluster(dataDir, kept).then(removeOldest, sayThatNothingIsKept);
  }
}

function sayThatNothingIsKept({ code }: NodeJS.ErrnoException): void {
  console.warn(`The tests' database is made for this run alone: ${keptFolders} cannot be written (${code})`);
}

function hashOfSources(): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const file of sources.flatMap((pattern) => globSync(pattern, { cwd: root }).sort()))
    hash.update(`\0${file}\0`).update(readFileSync(path.join(root, file)));
  return hash.digest("hex").slice(0, 16);
}

const isFolder = (folder: string): Promise<boolean> =>
  stat(folder).then(
    () => true,
    () => false,
  );

async function makeCluster(dataDir: string): Promise<void> {
  const postgres = await startLocalPostgres({ dataDir, durable: false });
  try {
    await migrate(postgres.url);
  } finally {
    await postgres.stop();
  }
}

/** Copies first and then renames: other runs find a complete cluster or none. */
async function keepCluster(dataDir: string, kept: string): Promise<void> {
  const draft = `${kept}.${process.pid}`;
  await mkdir(keptFolders, { recursive: true });
  await rm(draft, { recursive: true, force: true });
  cpSync(dataDir, draft, { recursive: true, filter: isPartOfCluster });
  try {
    renameSync(draft, kept);
  } catch (error) {
    await rm(draft, { recursive: true });
    if (!(await isFolder(kept))) throw error;
  }
}

/** Other files describe the server that ran there, and would mislead. */
const isPartOfCluster = (file: string): boolean => !/(\.pid|\.log|\.opts)$/.test(file);

/** Synchronous: faster for a thousand small files than asynchronous copies. */
async function copyCluster(kept: string, dataDir: string): Promise<void> {
  cpSync(kept, dataDir, { recursive: true });
  chmodSync(dataDir, 0o700);
  const { uid, gid } = await chooseUser();
  if (uid === undefined || gid === undefined) return;
  const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" });
  for (const file of ["", ...files]) chownSync(path.join(dataDir, file), uid, gid);
}

/** By last use. Includes drafts of killed runs. */
async function removeOldest(): Promise<void> {
  const folders = await Promise.all(
    (await readdir(keptFolders)).map(async (name) => {
      const folder = path.join(keptFolders, name);
      const used = await stat(folder).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      );
      return { folder, used };
    }),
  );
  for (const { folder } of folders.toSorted((one, two) => two.used - one.used).slice(mostKept))
    await rm(folder, { recursive: true, force: true });
}
