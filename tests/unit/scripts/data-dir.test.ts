import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../lib/config.ts";
import { resolveFileStoreSetting } from "../../../lib/platform/file-store/setting.ts";
import { dataDirOf, openDataDir } from "../../../scripts/dev/data-dir.ts";
import { localSettings } from "../../../scripts/dev/settings.ts";

it("an unwritable folder is rejected with the setting to change", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-data-dir-"));
  await openDataDir(path.join(folder, "made", "anew"));
  // A file instead of the folder, below which even root cannot write.
  const file = path.join(folder, "file");
  await writeFile(file, "");
  const refusal = /^Cannot write to .*file.data \(ENOTDIR\)\. Set DATA_DIR to a writable folder/;
  await expect(openDataDir(path.join(file, "data"))).rejects.toThrow(refusal);
  await expect(openDataDir("/proc/data/of/ours")).rejects.toThrow(/^Cannot write to .*\. Set DATA_DIR/);
  await rm(folder, { recursive: true });
});

describe("DATA_DIR", () => {
  const configOf = (environment: Record<string, string>) =>
    loadConfig(
      localSettings(
        { SECRET_KEY: "s".repeat(32), ...environment },
        "postgresql://a:b@127.0.0.1/x",
        "http://127.0.0.1",
      ),
    );

  it("moves mail, files and the log of a local run", () => {
    const config = configOf({ DATA_DIR: "elsewhere" });
    const folder = path.resolve("elsewhere");
    expect(dataDirOf({ DATA_DIR: "elsewhere" })).toBe(folder);
    expect(config).toMatchObject({ LOG_DIR: `${folder}/logs`, MAIL_FOLDER: `${folder}/mail` });
    expect(JSON.stringify(resolveFileStoreSetting(config))).toContain(`${folder}/files`);
  });

  it("gives way to the folders' own settings, and is not needed", () => {
    const own = { LOG_DIR: "own-logs", MAIL_FOLDER: "own-mail" };
    expect(configOf({ DATA_DIR: "elsewhere", ...own })).toMatchObject(own);
    expect(configOf({})).toMatchObject({ LOG_DIR: "logs", MAIL_FOLDER: ".data/mail" });
  });
});
