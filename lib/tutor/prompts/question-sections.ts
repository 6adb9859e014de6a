const marker = /\{\{ *(if_question_tool|if_question_blocks|end_if) *\}\}\n?/g;

/** Placeholders around the rules for asking questions. */
export const sectionMarkers = ["if_question_tool", "if_question_blocks", "end_if"] as const;

/** The prompt with its rules for questions by the tool, or in blocks. */
export function selectQuestionRules(template: string, hasTool: boolean): string {
  let kept = "";
  let isKept = true;
  let read = 0;
  for (const { 0: whole, 1: name, index } of template.matchAll(marker)) {
    if (isKept) kept += template.slice(read, index);
    isKept = name === "end_if" || (name === "if_question_tool") === hasTool;
    read = index + whole.length;
  }
  return isKept ? kept + template.slice(read) : kept;
}

/** Whether the prompt has its own rules for the tool. */
export const hasToolRules = (template: string): boolean => /\{\{ *if_question_tool *\}\}/.test(template);
