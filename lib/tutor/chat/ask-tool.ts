import type { LlmTool } from "../../platform/llm/provider.ts";

const text = (description: string) => ({ type: "string", description });

const option = {
  type: "object",
  properties: { id: text("A, B, C and so on"), text: text("What the learner may choose") },
  required: ["id", "text"],
  additionalProperties: false,
};

const key = {
  type: "object",
  description: "Which option is right. The learner never sees it",
  properties: {
    because: text("The question solved, step by step, in at most three sentences. Write it first"),
    answer: text("The id of the right option, as it follows from `because`"),
    misconceptions: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: text("The id of a wrong option"),
          text: text("What whoever takes it believes, in at most 80 characters"),
        },
        required: ["id", "text"],
        additionalProperties: false,
      },
    },
    skill: text("What the question asks for, in a few words"),
  },
  required: ["because", "answer", "misconceptions", "skill"],
  additionalProperties: false,
};

/** Used with `LLM_QUESTION_TOOL`. */
export const askQuestionTool: LlmTool = {
  name: "ask",
  description:
    "Asks the learner a multiple-choice question, after everything else that you say in the answer.",
  input: {
    type: "object",
    properties: {
      questionId: text("Another one for each question of the conversation, such as q1"),
      question: text("The question, as markdown with formulas between dollar signs"),
      options: { type: "array", items: option, description: "Two options or more" },
      key,
    },
    required: ["questionId", "question", "options", "key"],
    additionalProperties: false,
  },
};

/** For prompts without rules for the tool. */
export const askQuestionToolInstructions =
  "\n\nAsk a multiple-choice question by calling the tool `ask`, and never as a block of text. If these instructions speak " +
  "of a block ```mcq, call the tool instead, with the same fields. What they say of a block ```key goes into its field `key`. " +
  "Earlier questions of this conversation are calls of the tool, and their results are what the learner chose.";
