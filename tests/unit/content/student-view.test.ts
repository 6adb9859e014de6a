import { expect, it } from "vitest";
import { studentView } from "../../../lib/content/student-view.ts";

it("of a lab only the files that are marked as the students' are shown", () => {
  const files = [
    { path: "main.py", role: "student_visible", content: "pass" },
    { path: "test.py", role: "hidden_test" },
    { path: "TEST.py", role: "HIDDEN_TEST" },
    { path: "unmarked.py" },
    "not a file",
    null,
  ];
  expect(studentView("engineering_lab", { files, runtime: "python" })).toEqual({
    files: [{ path: "main.py", role: "student_visible", content: "pass" }],
    runtime: "python",
  });
});

it("of a lab's grading only its kind and its points are shown", () => {
  const grading = { type: "unit_tests", max_points: 10, command: "pytest", weights: { hidden: 1 } };
  expect(studentView("engineering_lab", { grading })).toEqual({
    grading: { type: "unit_tests", max_points: 10 },
  });
  expect(studentView("engineering_lab", { grading: { command: "pytest" } })).toEqual({ grading: {} });
});

it("files and grading of a shape of their own are not shown at all", () => {
  expect(studentView("engineering_lab", { files: { hidden: "test.py" }, grading: ["pytest"] })).toEqual({});
});

it("how a lab is started, and what its environment holds, is not shown", () => {
  const data = {
    runtime: "python",
    entrypoint: "pytest hidden",
    env: { TOKEN: "secret" },
    timeout_seconds: 5,
  };
  expect(studentView("engineering_lab", data)).toEqual({ runtime: "python", timeout_seconds: 5 });
});

it("what gives a quiz's answers away is not shown, however deep it is and whatever its letter case", () => {
  const question = {
    text: "2 + 2?",
    answer: 4,
    Correct: [1],
    options: [{ id: "a", correct: true, text: "4" }],
  };
  const data = {
    quiz_mode: "practice",
    questions: [question, "plain"],
    solution: {},
    explanation: "",
    answers: 1,
  };
  expect(studentView("quiz", data)).toEqual({
    quiz_mode: "practice",
    questions: [{ text: "2 + 2?", options: [{ id: "a", text: "4" }] }, "plain"],
  });
  expect(question.answer).toBe(4);
});

it("what the lab does not have is not made up, and what was passed in is not changed", () => {
  const data = { files: [{ path: "test.py", role: "hidden_test" }] };
  expect(studentView("engineering_lab", data)).toEqual({ files: [] });
  expect(data.files).toHaveLength(1);
  expect(studentView("engineering_lab", { lab_type: "circuit" })).toEqual({ lab_type: "circuit" });
});

it("every other type is shown whole", () => {
  const data = { grading: { command: "by hand" }, files: [] };
  expect(studentView("assignment", data)).toBe(data);
});
