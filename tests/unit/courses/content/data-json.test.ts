import { describe, expect, it } from "vitest";
import { dataJsonField } from "../../../../schema/api/platform/data-json.ts";
import { contentTypeNames } from "../../../../schema/enums.ts";

const fits = (type: string, data_json: unknown) => dataJsonField(type).safeParse({ data_json }).success;

/** The fields in the specification, by type. */
const documented: Record<string, Record<string, unknown>> = {
  video: {
    provider: "youtube",
    video_id: "a1",
    url: "https://video.example.edu/a1",
    duration_seconds: 61.5,
    transcript: { language: "en", segments: [{ start: 0, end: 1.5, text: "Hello" }] },
    thumbnail_url: "https://video.example.edu/a1.png",
    asset_id: 3,
  },
  quiz: {
    question_pool_id: 1,
    quiz_mode: "exam",
    num_questions_per_attempt: 5,
    randomize_order: true,
    time_limit_seconds: null,
    mastery: { points: 10, threshold_correct_in_row: 3, max_attempts: 2 },
  },
  engineering_lab: {
    lab_type: "simulation",
    runtime: "matlab",
    container_image: "labs/matlab:1",
    cpu_limit: 2,
    memory_limit: "512Mi",
    timeout_seconds: 30,
    entrypoint: "run.sh",
    env: { SEED: "1" },
    files: [{ path: "main.m", role: "student_visible" }],
    grading: { type: "unit_tests", max_points: 10 },
  },
  text: {
    layout: "article",
    title: "Sampling",
    blocks: [
      { type: "paragraph", text: "A signal" },
      { type: "math", latex: "f_s > 2 f" },
      { type: "image", asset_id: 2, caption: "Aliasing" },
      { type: "link_list", items: [{ label: "More", url: "https://example.edu" }] },
    ],
  },
  assignment: { brief: "Anything", points: 3 },
  resource: { resources: [{ label: "Notes", url: "https://example.edu/notes.pdf", kind: "pdf" }] },
  scorm: { file_id: 4, completion: "passed", grade: "score", counted_attempt: "first", max_points: 10 },
  external_tool: { lti_tool_id: 1, url: "https://tool.example.com/1", custom: { week: "2" }, max_points: 10 },
};

describe.each(contentTypeNames)("%s", (type) => {
  it("accepts documented keys, an empty object, and keys of other tools", () => {
    expect(fits(type, documented[type])).toBe(true);
    expect(fits(type, {})).toBe(true);
    expect(fits(type, { ...documented[type], of_another_tool: { deep: [1, null] } })).toBe(true);
  });

  it("is an object", () => {
    for (const wrong of [null, [], "text", 1]) expect(fits(type, wrong)).toBe(false);
  });
});

it.each([
  ["video", { provider: "tube" }],
  ["video", { duration_seconds: "61" }],
  ["video", { transcript: { segments: [{ start: "0" }] } }],
  ["quiz", { quiz_mode: "EXAM" }],
  ["quiz", { randomize_order: "yes" }],
  ["quiz", { mastery: { max_attempts: 1.5 } }],
  ["engineering_lab", { env: { SEED: 1 } }],
  ["engineering_lab", { files: [{ path: "main.m" }] }],
  ["engineering_lab", { files: [{ path: "main.m", role: "visible" }] }],
  ["text", { blocks: [{ text: "without a type" }] }],
  ["text", { blocks: [{ type: "table" }] }],
  ["resource", { resources: [{ kind: "podcast" }] }],
  ["scorm", { completion: "viewed" }],
  ["scorm", { counted_attempt: "mean" }],
  ["external_tool", { lti_tool_id: "1" }],
  ["external_tool", { custom: { week: 2 } }],
])("%s rejects %j", (type, data) => {
  expect(fits(type, data)).toBe(false);
});

it("a type that administrators added takes any object", () => {
  expect(fits("hologram", { provider: 1 })).toBe(true);
  expect(fits("constructor", {})).toBe(true);
  expect(fits("hologram", null)).toBe(false);
});
