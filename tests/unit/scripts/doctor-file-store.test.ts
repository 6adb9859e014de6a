import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { loadConfig } from "../../../lib/config.ts";
import { chooseFileStore } from "../../../lib/platform/file-store/choose-file-store.ts";
import { subpathOf } from "../../../lib/platform/file-store/folder/files.ts";
import { newObjectKey, newUploadKey } from "../../../lib/platform/file-store/keys.ts";
import { checkFileStore } from "../../../scripts/ops/doctor/file-store.ts";
import { linesOf } from "../../../scripts/ops/doctor/finding.ts";
import { compareStored } from "../../../scripts/ops/doctor/stored-files.ts";
import { serveFolder, settingsOfTests } from "../../support/file-stores.ts";
import { standInKeys, startS3StandIn } from "../../support/s3-stand-in.ts";

const origin = "https://learn.example.edu";

const configOf = (settings: Record<string, string>) =>
  loadConfig({ ...settingsOfTests, BACKEND_CORS_ORIGINS: origin, ...settings });

const said = async (settings: Record<string, string>) =>
  (await checkFileStore(configOf(settings))).map(linesOf).join("\n");

async function contentOf(settings: Record<string, string>): Promise<string[]> {
  const store = chooseFileStore(configOf(settings), () => new Date());
  const keys: string[] = [];
  for (const prefix of ["uploads/", "objects/"] as const)
    for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

describe("the doctor about the file store", () => {
  it("says that production takes no files without a store", async () => {
    expect(await said({ ENVIRONMENT: "production" })).toMatch(/^ {2}-- {2}no file store is configured/);
  });

  describe("a folder", () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "learning-platform-doctor-"));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    it("says that it works, and leaves nothing there", async () => {
      const settings = { FILE_STORE: `folder:${folder}` };
      expect(await said(settings)).toBe(
        `  ok  the file store folder:${folder} stores, returns and removes files`,
      );
      expect(await contentOf(settings)).toEqual([]);
    });

    it("names objects without a row, and rows without an object, and skips recent ones", async () => {
      const { store, send, close } = await serveFolder(folder);
      const keep = async (hoursAgo: number) => {
        const [from, to] = [newUploadKey(), newObjectKey()];
        const addressing = { expiresInSeconds: 60, publicUrl: "" };
        await send(await store.signUpload(from, { size: 1, mediaType: "text/plain" }, addressing), "x");
        await store.take(from, to);
        const then = new Date(Date.now() - hoursAgo * 3600_000);
        await utimes(path.join(folder, subpathOf(to)), then, then);
        return to;
      };
      const row = (key: string, hoursAgo: number) => ({
        ...{ key, created_at: new Date(Date.now() - hoursAgo * 3600_000).toISOString() },
      });
      const [known, lost, young] = [await keep(2), await keep(2), await keep(0)];
      const gone = newObjectKey();
      const all = [row(known, 2), row(lost, 2), row(young, 0), row(newObjectKey(), 0)];
      expect((await compareStored(all, store)).map(linesOf).join()).toContain("ok  the 4 stored files");
      const lines = (await compareStored([row(known, 2), row(gone, 2)], store)).map(linesOf).join("\n");
      expect(lines).toContain(`no  1 files of the database are not in ${store.name}: ${gone}`);
      expect(lines).toContain(`--  1 objects in ${store.name} are in no row of the database: ${lost}`);
      expect(lines).not.toContain(young);
      await close();
    });

    it("reports that it is not writable", async () => {
      const file = path.join(folder, "file");
      await writeFile(file, "");
      expect(await said({ FILE_STORE: `folder:${file}` })).toMatch(
        /^ {2}no {2}the file store .*\n.*check FILE_STORE/,
      );
    });
  });

  describe("a bucket", () => {
    let standIn: Awaited<ReturnType<typeof startS3StandIn>>;
    beforeAll(async () => {
      standIn = await startS3StandIn();
    });
    beforeEach(() => {
      vi.stubEnv("AWS_ACCESS_KEY_ID", standInKeys.accessKeyId);
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", standInKeys.secretAccessKey);
      standIn.setCors(true);
      standIn.setTrouble(undefined);
    });
    afterEach(() => vi.unstubAllEnvs());
    afterAll(() => standIn.close());

    it("says that it works, for pages too, and leaves nothing there", async () => {
      const settings = { FILE_STORE: standIn.setting };
      const lines = await said(settings);
      expect(lines).toContain(`ok  pages of ${origin} can use the file store`);
      expect(lines).toContain("stores, returns and removes files");
      expect(await contentOf(settings)).toEqual([]);
      expect(standIn.uploads.size).toBe(0);
    });

    it("says that pages may not use it", async () => {
      standIn.setCors(false);
      expect(await said({ FILE_STORE: standIn.setting })).toContain(`no  pages of ${origin} cannot upload`);
    });

    it("says that its keys are not taken, without naming them", async () => {
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", "another secret");
      const lines = await said({ FILE_STORE: standIn.setting });
      expect(lines).toContain("HTTP 403");
      expect(lines).toContain("AWS_ACCESS_KEY_ID");
      expect(lines).not.toContain("another secret");
    });

    it("reports that it is unavailable", async () => {
      standIn.setTrouble("away");
      expect(await said({ FILE_STORE: standIn.setting })).toMatch(/^ {2}no {2}the file store s3:/);
    });
  });
});
