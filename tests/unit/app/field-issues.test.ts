import { describe, expect, it } from "vitest";
import { issuesAt } from "../../../app/src/components/field-issues.ts";

describe("what the service refuses of a form", () => {
  it("stands at the field that a 422 names, or at what the field is in", () => {
    const detail = [
      { loc: ["body", "title"], msg: "Value error, Too long", type: "value_error" },
      { loc: ["body", "data_json", "blocks", 1, "asset_id"], msg: "No number", type: "int_type" },
      { loc: ["body", "data_json", "blocks", 0, "items", 2, "url"], msg: "No address", type: "value_error" },
      { loc: ["body"], msg: "Nothing there", type: "missing" },
    ];
    const names = ["title", "data_json", "data_json.blocks.1.asset_id", "data_json.blocks.0.text"];
    expect(issuesAt(detail, names)).toEqual({
      at: { title: "Too long", "data_json.blocks.1.asset_id": "No number", data_json: "No address" },
      rest: "Nothing there",
    });
  });

  it.each([
    ["Course code 'PHY101' is already taken", ["title", "code"], "code"],
    [
      "Content item question_pool_id '7' does not exist",
      ["data_json.question_pool_id"],
      "data_json.question_pool_id",
    ],
    ["llm_model should be one of: a, b", ["llm_model"], "llm_model"],
    ["rescale should be true (scaled) or false (they stay): scores stand", ["rescale"], "rescale"],
  ])("stands at the field that the words of a 400 name: %s", (detail, names, name) => {
    expect(issuesAt(detail, names)).toEqual({ at: { [name]: detail }, rest: "" });
  });

  it("is said of the whole form where it names no field of it", () => {
    expect(issuesAt("Course has enrollments", ["title"])).toEqual({ at: {}, rest: "Course has enrollments" });
    expect(issuesAt("Course code 'X' is already taken", ["title"]).rest).toContain("already taken");
  });
});
