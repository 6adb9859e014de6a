import { expect, it } from "vitest";
import { pickChangedFields } from "../../../app/src/components/changed-fields.ts";

const before = {
  id: 7,
  title: "Sampling",
  description: null,
  requires_module_ids: [1, 2],
  data_json: { blocks: [{ type: "paragraph", text: "One" }], layout: "wide" },
};

it("unchanged values are not sent, in any order of their keys", () => {
  const wanted = {
    title: "Sampling",
    description: null,
    requires_module_ids: [1, 2],
    data_json: { layout: "wide", blocks: [{ text: "One", type: "paragraph" }] },
  };
  expect(pickChangedFields(wanted, before)).toEqual({});
});

it.each([
  ["another text", { title: "Aliasing" }],
  ["a cleared text", { description: "" }],
  ["another order of a list", { requires_module_ids: [2, 1] }],
  ["a shorter list", { requires_module_ids: [1] }],
  ["a change deep inside", { data_json: { blocks: [{ type: "paragraph", text: "Two" }], layout: "wide" } }],
  ["a removed key", { data_json: { blocks: [{ type: "paragraph", text: "One" }] } }],
  ["a list instead of an object", { data_json: [] }],
  ["a new key", { is_published: true }],
])("%s is sent", (_, change) => {
  expect(pickChangedFields({ ...change }, before)).toEqual(change);
});
