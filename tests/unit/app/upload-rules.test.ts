import { describe, expect, it } from "vitest";
import {
  findUploadRefusal,
  uploadRulesForPurpose,
  withUniquePastedPictureNames,
} from "../../../app/src/files/upload-rules.ts";

describe("the allowed uploads", () => {
  it("follow from the purpose and the limits of the page, and are none without a store", () => {
    const limits = JSON.stringify({ SUBMISSION: 100, AVATAR: 5 });
    expect(uploadRulesForPurpose("SUBMISSION", limits)).toEqual({ largest: 100, most: 20 });
    expect(uploadRulesForPurpose("AVATAR", limits)).toEqual({
      ...{ largest: 5, most: 1 },
      accept: "image/png,image/jpeg,image/webp",
    });
    expect(uploadRulesForPurpose("SUBMISSION", "")).toBeUndefined();
  });

  it("is of a kind that the field takes, as far as a browser knows it", () => {
    const rules = { largest: 10, most: 1, accept: "image/*" };
    expect(findUploadRefusal({ size: 1, type: "image/heic" }, rules, 1)).toBeUndefined();
    expect(findUploadRefusal({ size: 1, type: "" }, rules, 1)).toBeUndefined();
    expect(findUploadRefusal({ size: 1, type: "text/html" }, rules, 1)).toEqual({
      why: "KIND",
      accept: "image/*",
    });
  });

  it("may be named by extensions", () => {
    const rules = { largest: 10, most: 1, accept: ".vtt, .zip" };
    const check = (name: string, type: string) => findUploadRefusal({ size: 1, type, name }, rules, 1)?.why;
    expect(check("Package.ZIP", "application/x-zip-compressed")).toBeUndefined();
    expect(check("a.vtt", "text/vtt")).toBeUndefined();
    expect(check("zip", "application/zip")).toBe("KIND");
    expect(check("a.zip.exe", "application/octet-stream")).toBe("KIND");
  });

  it("name pasted pictures uniquely, and keep every other name", () => {
    const files = ["image.png", "image.png", "notes.txt"].map(
      (name) => new File(["x"], name, { type: "image/png" }),
    );
    expect(
      withUniquePastedPictureNames(files, new Date("2026-03-10T12:30:00Z")).map(({ name, type }) => [
        name,
        type,
      ]),
    ).toEqual([
      ["2026-03-10 12-30-00.png", "image/png"],
      ["2026-03-10 12-30-00 2.png", "image/png"],
      ["notes.txt", "image/png"],
    ]);
  });
});
