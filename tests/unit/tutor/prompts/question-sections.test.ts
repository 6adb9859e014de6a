import { expect, it } from "vitest";
import { hasToolRules, selectQuestionRules } from "../../../../lib/tutor/prompts/question-sections.ts";

const blocks = "{{if_question_blocks}}\nBlocks.\n{{end_if}}\n";
const tool = "{{ if_question_tool }}\nTool.\n{{end_if}}\n";

it("keeps the rules of blocks or those of the tool", () => {
  const template = `Before.\n${blocks}Between.\n${tool}After.`;
  expect(selectQuestionRules(template, false)).toBe("Before.\nBlocks.\nBetween.\nAfter.");
  expect(selectQuestionRules(template, true)).toBe("Before.\nBetween.\nTool.\nAfter.");
  for (const plain of ["", "Teach {{title}}.", "{{if_question}} {{end}}"])
    for (const hasTool of [true, false]) expect(selectQuestionRules(plain, hasTool)).toBe(plain);
});

it("ends a section at the next marker, or at the prompt's end", () => {
  expect(selectQuestionRules("{{if_question_blocks}}A{{if_question_tool}}B", true)).toBe("B");
  expect(selectQuestionRules("{{if_question_blocks}}A{{if_question_tool}}B", false)).toBe("A");
  expect(selectQuestionRules("A{{end_if}}B", true)).toBe("AB");
});

it("takes as long as its text, for any number of open sections", () => {
  const open = "{{if_question_tool}}".repeat(50_000);
  expect(selectQuestionRules(open, false)).toBe("");
  expect(selectQuestionRules(`${open}B`, true)).toBe("B");
});

it("knows a prompt with rules for the tool", () => {
  expect([tool, blocks, "Teach."].map(hasToolRules)).toEqual([true, false, false]);
});
