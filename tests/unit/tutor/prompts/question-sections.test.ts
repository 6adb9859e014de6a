import { expect, it } from "vitest";
import { hasToolRules, withQuestionRules } from "../../../../lib/tutor/prompts/question-sections.ts";

const blocks = "{{if_question_blocks}}\nBlocks.\n{{end_if}}\n";
const tool = "{{ if_question_tool }}\nTool.\n{{end_if}}\n";

it("keeps the rules of blocks or those of the tool", () => {
  const template = `Before.\n${blocks}Between.\n${tool}After.`;
  expect(withQuestionRules(template, false)).toBe("Before.\nBlocks.\nBetween.\nAfter.");
  expect(withQuestionRules(template, true)).toBe("Before.\nBetween.\nTool.\nAfter.");
  for (const plain of ["", "Teach {{title}}.", "{{if_question}} {{end}}"])
    for (const hasTool of [true, false]) expect(withQuestionRules(plain, hasTool)).toBe(plain);
});

it("ends a section at the next marker, or at the prompt's end", () => {
  expect(withQuestionRules("{{if_question_blocks}}A{{if_question_tool}}B", true)).toBe("B");
  expect(withQuestionRules("{{if_question_blocks}}A{{if_question_tool}}B", false)).toBe("A");
  expect(withQuestionRules("A{{end_if}}B", true)).toBe("AB");
});

it("takes as long as its text, for any number of open sections", () => {
  const open = "{{if_question_tool}}".repeat(50_000);
  expect(withQuestionRules(open, false)).toBe("");
  expect(withQuestionRules(`${open}B`, true)).toBe("B");
});

it("knows a prompt with rules for the tool", () => {
  expect([tool, blocks, "Teach."].map(hasToolRules)).toEqual([true, false, false]);
});
