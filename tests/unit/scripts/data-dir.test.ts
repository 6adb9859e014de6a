import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { openDataDir } from "../../../scripts/dev/data-dir.ts";

it("a folder in which nothing can be kept is refused with what to set", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-data-dir-"));
  await openDataDir(path.join(folder, "made", "anew"));
  // A file stands where the folder should: nobody can write below it, whatever their rights.
  const file = path.join(folder, "file");
  await writeFile(file, "");
  const refusal = /^Nothing can be kept in .*file.data \(ENOTDIR\): set DATA_DIR to a folder/;
  await expect(openDataDir(path.join(file, "data"))).rejects.toThrow(refusal);
  await expect(openDataDir("/proc/data/of/ours")).rejects.toThrow(/^Nothing can be kept in .*: set DATA_DIR/);
  await rm(folder, { recursive: true });
});
