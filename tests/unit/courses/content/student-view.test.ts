import { expect, it } from "vitest";
import type * as z from "zod";
import { dataJsonForStudents } from "../../../../lib/courses/content/student-view.ts";
import { audienceOf, dataJsonShape } from "../../../../schema/api/platform/data-json.ts";
import { type ContentTypeName, contentTypeNames } from "../../../../schema/enums.ts";

it("of a lab only the files that are marked as the students' are shown", () => {
  const files = [
    { path: "main.py", role: "student_visible", content: "pass" },
    { path: "test.py", role: "hidden_test" },
    { path: "TEST.py", role: "HIDDEN_TEST" },
    { path: "unmarked.py" },
    "not a file",
    null,
  ];
  expect(dataJsonForStudents("engineering_lab", { files, runtime: "python" })).toEqual({
    files: [{ path: "main.py", role: "student_visible" }],
    runtime: "python",
  });
});

it("of a lab's grading only its kind and its points are shown", () => {
  const grading = { type: "unit_tests", max_points: 10, command: "pytest", weights: { hidden: 1 } };
  expect(dataJsonForStudents("engineering_lab", { grading })).toEqual({
    grading: { type: "unit_tests", max_points: 10 },
  });
  expect(dataJsonForStudents("engineering_lab", { grading: { command: "pytest" } })).toEqual({ grading: {} });
});

it("files and grading of an unknown shape are hidden", () => {
  expect(
    dataJsonForStudents("engineering_lab", { files: { hidden: "test.py" }, grading: ["pytest"] }),
  ).toEqual({});
});

it("a lab's entry point and environment are hidden", () => {
  const data = {
    runtime: "python",
    entrypoint: "pytest hidden",
    env: { TOKEN: "secret" },
    timeout_seconds: 5,
  };
  expect(dataJsonForStudents("engineering_lab", data)).toEqual({ runtime: "python", timeout_seconds: 5 });
});

it("a quiz's other keys are hidden: they may reveal the answers", () => {
  const questions = [{ text: "2 + 2?", answer: 4 }];
  const data = { quiz_mode: "practice", questions, solution: {}, explanation: "", time_limit_seconds: null };
  expect(dataJsonForStudents("quiz", data)).toEqual({ quiz_mode: "practice", time_limit_seconds: null });
});

it("missing keys of a lab are not added, and the input stays unchanged", () => {
  const data = { files: [{ path: "test.py", role: "hidden_test" }] };
  expect(dataJsonForStudents("engineering_lab", data)).toEqual({ files: [] });
  expect(data.files).toHaveLength(1);
  expect(dataJsonForStudents("engineering_lab", { lab_type: "circuit" })).toEqual({ lab_type: "circuit" });
});

it("unknown keys are for staff, in every type and in nested objects", () => {
  const only = { model_solution: "only_staff", rubric: ["only_staff"], teacher_notes: "only_staff" };
  const shown: Record<ContentTypeName, Record<string, unknown>> = {
    text: { layout: "article", blocks: [{ type: "link_list", items: [{ label: "More" }] }] },
    video: { duration: 60, video_url: "https://example.edu", transcript: { segments: [{ text: "Hello" }] } },
    resource: { resources: [{ label: "Notes", kind: "pdf" }] },
    assignment: { instructions: "Write", criteria: ["Ends", { title: "Style", points: 5 }], blocks: [] },
    quiz: { mastery: { points: 10 } },
    engineering_lab: { runtime: "python", grading: { max_points: 3 } },
    scorm: { file_id: 4, completion: "passed", max_attempts: 2 },
    external_tool: { lti_tool_id: 1, max_points: 10 },
  };
  const withMore = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withMore);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, withMore(inner)]);
    return { ...Object.fromEntries(entries), ...only };
  };
  for (const type of contentTypeNames) {
    expect(dataJsonForStudents(type, withMore(shown[type]) as Record<string, unknown>)).toEqual(shown[type]);
    expect(JSON.stringify(dataJsonForStudents(type, { ...only, blocks: "x", files: {} }))).not.toContain(
      "only_staff",
    );
  }
});

it("a key has only values of its shape: no object instead of a text", () => {
  const data = { title: { secret: 1 }, blocks: { secret: 1 }, layout: null };
  expect(dataJsonForStudents("text", data)).toEqual({ layout: null });
  expect(dataJsonForStudents("assignment", { criteria: [{ title: ["secret"] }, ["secret"], null] })).toEqual({
    criteria: [{}, null],
  });
});

it("of a type that an administrator added all is shown", () => {
  const data = { model_solution: "shown", files: [] };
  expect(dataJsonForStudents("simulation", data)).toBe(data);
});

it("every key of a shape is marked as the learners' or the staff's, and the staff's are these", () => {
  const staffs: string[] = [];
  for (const type of contentTypeNames)
    for (const [key, schema] of Object.entries(dataJsonShape(type)?.shape ?? {})) {
      const audience =
        audienceOf(schema as z.ZodType) ?? audienceOf((schema as z.ZodOptional).unwrap() as z.ZodType);
      expect(["learners", "staff"]).toContain(audience);
      if (audience === "staff") staffs.push(`${type}.${key}`);
    }
  expect(staffs).toEqual([
    ...["engineering_lab.entrypoint", "engineering_lab.env"],
    ...["external_tool.url", "external_tool.custom", "external_tool.resource_id", "external_tool.tag"],
    ...["external_tool.submission_review", "external_tool.line_item"],
  ]);
});
