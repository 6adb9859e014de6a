import { readFile } from "node:fs/promises";
import { afterEach, expect, it, vi } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { isCurrent, makeCurrent } from "../../../scripts/build/generated-file.ts";

afterEach(() => vi.restoreAllMocks());

it("what is current is not written, also where nothing can be", async () => {
  const said = vi.spyOn(console, "log").mockImplementation(() => {});
  await makeCurrent("LICENSE", await readFile("LICENSE", "utf8"));
  expect(said).toHaveBeenCalledWith("LICENSE is current");
  expect(await isCurrent("package.json", packageJson.name)).toBe(false);
});

it("where a file cannot be written, the script says what to do, and ends", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
  // Even root cannot write below a file.
  await makeCurrent("LICENSE/openapi.json", "{}");
  expect(said).toHaveBeenCalledExactlyOnceWith(
    "LICENSE/openapi.json is not current, and cannot be written (ENOTDIR). Run this in a writable copy",
  );
  expect(exit).toHaveBeenCalledWith(1);
});
