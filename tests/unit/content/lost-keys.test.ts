import { expect, it } from "vitest";
import { lostKeys } from "../../../lib/content/lost-keys.ts";

it("names what learners saw and do not see any more, each once and by its path", () => {
  const blocks = [
    { type: "paragraph", text: "A", note: "x" },
    { type: "paragraph", text: "B", note: { deep: 1 } },
  ];
  expect(lostKeys("text", { blocks, rubric: { levels: [1] } })).toEqual(["blocks[].note", "rubric"]);
  expect(lostKeys("assignment", { instructions: "Write", model_solution: "x" })).toEqual(["model_solution"]);
});

it("names nothing that was the staff's before, and nothing of a type whose shape is free", () => {
  const lab = {
    env: { KEY: "x" },
    grading: { command: "pytest" },
    files: [{ path: "t.py", role: "hidden_test" }],
  };
  expect(lostKeys("engineering_lab", lab)).toEqual([]);
  expect(lostKeys("quiz", { answers: [1] })).toEqual([]);
  expect(lostKeys("simulation", { anything: 1 })).toEqual([]);
  expect(lostKeys("video", { video_url: "https://example.edu", duration: 60 })).toEqual([]);
});
