import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { refusalTextOf } from "../../../app/src/files/refusal-words.ts";
import { namedApart, refusalBefore, rulesOf } from "../../../app/src/files/upload-rules.ts";
import { misfitOf } from "../../../lib/files/limits.ts";

describe("what may be sent", () => {
  it("follows from the purpose and the limits of the page, and is nothing where there is no store", () => {
    const limits = JSON.stringify({ SUBMISSION: 100, AVATAR: 5 });
    expect(rulesOf("SUBMISSION", limits)).toEqual({ largest: 100, most: 20 });
    expect(rulesOf("AVATAR", limits)).toEqual({
      ...{ largest: 5, most: 1 },
      accept: "image/png,image/jpeg,image/webp",
    });
    expect(rulesOf("SUBMISSION", "")).toBeUndefined();
  });

  it("is of a kind that the field takes, as far as a browser knows it", () => {
    const rules = { largest: 10, most: 1, accept: "image/*" };
    expect(refusalBefore({ size: 1, type: "image/heic" }, rules, 1)).toBeUndefined();
    expect(refusalBefore({ size: 1, type: "" }, rules, 1)).toBeUndefined();
    expect(refusalBefore({ size: 1, type: "text/html" }, rules, 1)).toEqual({
      why: "KIND",
      accept: "image/*",
    });
  });

  it("has names that tell pasted pictures apart, and keeps every other", () => {
    const files = ["image.png", "image.png", "notes.txt"].map(
      (name) => new File(["x"], name, { type: "image/png" }),
    );
    expect(namedApart(files, new Date("2026-03-10T12:30:00Z")).map(({ name, type }) => [name, type])).toEqual(
      [
        ["2026-03-10 12-30-00.png", "image/png"],
        ["2026-03-10 12-30-00 2.png", "image/png"],
        ["notes.txt", "image/png"],
      ],
    );
  });
});

describe("what the service refuses a file for", () => {
  const sourceOf = (name: string) => readFile(new URL(`../../../lib/${name}`, import.meta.url), "utf8");

  it("is said in the reader's language for each kind that does not fit", () => {
    expect(refusalTextOf(misfitOf("AVATAR", "image/gif") ?? "")).toEqual([
      "upload.refused.picture",
      { kind: "image/gif" },
    ]);
    expect(refusalTextOf(misfitOf("IMPORT", "image/gif") ?? "")).toEqual([
      "upload.refused.import",
      { kind: "image/gif" },
    ]);
    expect(refusalTextOf(misfitOf("POST", "application/x-elf") ?? "")).toEqual([
      "upload.refused.program",
      { kind: "application/x-elf" },
    ]);
  });

  it.each([
    [
      "A file of purpose POST has at most 20 MB",
      "files/promise.ts",
      ["upload.refused.LARGE", { size: "20 MB" }],
    ],
    [
      "The university's quota of 50 GB is used up",
      "files/promise.ts",
      ["upload.refused.quota", { size: "50 GB" }],
    ],
    ["At most 500 files a day", "files/promise.ts", ["upload.refused.daily.files", { count: "500" }]],
    ["At most 5 GB a day", "files/promise.ts", ["upload.refused.daily.bytes", { size: "5 GB" }]],
    ["3 bytes were promised, and 4 were sent", "files/complete.ts", ["upload.refused.broken", {}]],
    ["No bytes were sent", "files/complete.ts", ["upload.refused.broken", {}]],
    ["Parts are missing: 1, 2", "files/complete.ts", ["upload.refused.broken", {}]],
    [
      "Its bytes have another SHA-256 than was promised",
      "files/check-files.ts",
      ["upload.refused.broken", {}],
    ],
    ["Its bytes are not in the store any more", "files/check-files.ts", ["upload.refused.broken", {}]],
    ["The scanner found Eicar", "files/check-files.ts", ["upload.refused.scanner", { found: "Eicar" }]],
    ["No file store is configured", "file-store/file-store.ts", ["upload.refused.no.store", {}]],
  ])("is known: %s", async (said, file, text) => {
    // The service still says it so, up to the first figure or name in it.
    const before = said.split(/(?<= )(?=\d|POST|Eicar)|^\d/).find(Boolean) ?? said;
    expect((await sourceOf(file)).replaceAll(/\$\{[^}]+\}/g, "").replaceAll(/ +/g, " ")).toContain(
      before.trim(),
    );
    expect(refusalTextOf(said)).toEqual(text);
  });

  it("is the service's own words where none of ours are meant", () => {
    expect(refusalTextOf("Not available yet")).toBeUndefined();
  });
});
