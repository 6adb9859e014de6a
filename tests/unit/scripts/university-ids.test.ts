import { expect, it } from "vitest";
import { idsFrom, jsonWithIds } from "../../../scripts/ops/university/ids.ts";

const range = (offset: number) => ({ least: 1, greatest: 100, offset });
const ids = idsFrom(
  new Map([
    ["assets", range(1000)],
    ["files", range(2000)],
    ["question_pools", range(3000)],
    ["content_items", range(4000)],
    ["course_offerings", range(5000)],
  ]),
  new Map(),
);

it("the content of an item names the rows of here, in its blocks, resources and files too", () => {
  const data = {
    title: "Waves",
    question_pool_id: 1,
    blocks: [{ type: "image", asset_id: 2 }, { type: "image", file_id: 3 }, "no block"],
    resources: [
      { label: "Notes", kind: "pdf", file_id: 4 },
      { label: "Elsewhere", url: "https://a.example" },
    ],
    files: [{ path: "a.py", role: "student_visible", file_id: 5 }],
    criteria: [{ file_id: 6 }],
  };
  expect(jsonWithIds(data, "content", ids)).toEqual({
    ...data,
    question_pool_id: 3001,
    blocks: [{ type: "image", asset_id: 1002 }, { type: "image", file_id: 2003 }, "no block"],
    resources: [{ label: "Notes", kind: "pdf", file_id: 2004 }, data.resources[1]],
    files: [{ path: "a.py", role: "student_visible", file_id: 2005 }],
  });
  // References to rows that were not imported become null.
  expect(jsonWithIds({ file_id: 500 }, "content", ids)).toEqual({ file_id: null });
  expect(jsonWithIds(null, "content", ids)).toBeNull();
});

it("the snapshot of a conversation has them too, with the files whose text it includes", () => {
  const context = {
    content_item_id: 7,
    title: "Waves",
    data_json: { resources: [{ label: "Notes", file_id: 4 }] },
  };
  const here = {
    content_item_id: 4007,
    title: "Waves",
    data_json: { resources: [{ label: "Notes", file_id: 2004 }] },
  };
  expect(jsonWithIds(context, "context", ids)).toEqual(here);
  const file = { file_id: 4, name: "notes.pdf", sha256: "a", characters: 5 };
  expect(jsonWithIds({ ...context, file_texts: [file] }, "context", ids)).toEqual({
    ...here,
    file_texts: [{ ...file, file_id: 2004 }],
  });
});

it.each([
  [{ offering_id: 3 }, { offering_id: 5003 }],
  [
    { offering_id: 3, resource_link_id: "3-7" },
    { offering_id: 5003, resource_link_id: "5003-4007" },
  ],
  [
    { offering_id: 3, resource_link_id: "3-0" },
    { offering_id: 5003, resource_link_id: "5003-0" },
  ],
])("the column %j of a tool belongs to the offering of here", (line_item, here) => {
  expect(jsonWithIds({ line_item }, "content", ids)).toEqual({ line_item: here });
});
