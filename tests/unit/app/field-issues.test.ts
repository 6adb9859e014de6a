import { describe, expect, it } from "vitest";
import { assignIssuesToFields } from "../../../app/src/components/field-issues.ts";

describe("the service's error about a form", () => {
  it("is shown at the field that a 422 names, or at its container", () => {
    const detail = [
      { loc: ["body", "title"], msg: "Value error, Too long", type: "value_error" },
      { loc: ["body", "data_json", "blocks", 1, "asset_id"], msg: "No number", type: "int_type" },
      { loc: ["body", "data_json", "blocks", 0, "items", 2, "url"], msg: "No address", type: "value_error" },
      { loc: ["body"], msg: "Nothing there", type: "missing" },
    ];
    const names = ["title", "data_json", "data_json.blocks.1.asset_id", "data_json.blocks.0.text"];
    expect(assignIssuesToFields({ detail }, names)).toEqual({
      at: { title: "Too long", "data_json.blocks.1.asset_id": "No number", data_json: "No address" },
      rest: "Nothing there",
    });
  });

  it.each([
    ["already_taken", "code", ["title", "code"], "code"],
    ["does_not_exist", "question_pool_id", ["data_json.question_pool_id"], "data_json.question_pool_id"],
    ["not_one_of", "llm_model", ["llm_model"], "llm_model"],
    ["not_one_of", "config.model", ["model", "config.model"], "config.model"],
    ["rescale_required", undefined, ["rescale"], "rescale"],
    ["incorrect_password", undefined, ["password"], "password"],
  ])(
    "is shown at the field of its code, or the one next to it, whatever its text: %s",
    (code, field, names, name) => {
      const detail = "title 'code' should not matter";
      expect(assignIssuesToFields({ detail, code, field }, names)).toEqual({
        at: { [name]: detail },
        rest: "",
      });
    },
  );

  it("is shown for the whole form if it is about none of its fields, with the field's label if it has one", () => {
    const inUse = { detail: "title has enrollments", code: "has_enrollments", field: undefined };
    expect(assignIssuesToFields(inUse, ["title"])).toEqual({ at: {}, rest: "title has enrollments" });
    expect(
      assignIssuesToFields({ detail: "Taken", code: "already_taken", field: "code" }, ["title"]).rest,
    ).toBe("Taken");
    const fault = { loc: ["body", "ends_at"], msg: "Missing", type: "missing", label: "Ends" };
    expect(assignIssuesToFields({ detail: [fault] }, ["title"]).rest).toBe("Ends: Missing");
  });
});
