import { readFile } from "node:fs/promises";
import { afterEach, expect, it, vi } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { isCurrent, makeCurrent } from "../../../scripts/build/generated-file.ts";

afterEach(() => vi.restoreAllMocks());

it("a current file is not written, also on a read-only disk", async () => {
  const said = vi.spyOn(console, "log").mockImplementation(() => {});
  await makeCurrent("LICENSE", await readFile("LICENSE", "utf8"));
  expect(said).toHaveBeenCalledWith("LICENSE is current");
  expect(await isCurrent("package.json", packageJson.name)).toBe(false);
});

it("if a file cannot be written, the script prints the remedy, and ends", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
  // Even root cannot write below a file.
  await makeCurrent("LICENSE/openapi.json", "{}");
  expect(said).toHaveBeenCalledExactlyOnceWith(
    "LICENSE/openapi.json is not current, and cannot be written (ENOTDIR). Run this in a writable copy",
  );
  expect(exit).toHaveBeenCalledWith(1);
});
