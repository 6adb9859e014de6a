import type { Question } from "../../../../schema/question.ts";

/** A question in the format that the tutor's prompt requests. */
export const asked: Question = {
  questionId: "q1",
  question: "Which way does a carry go?",
  options: [
    { id: "A", text: "To the left" },
    { id: "B", text: "To the right" },
  ],
};

const { questionId, question, options } = asked;
const json = JSON.stringify(asked);
const pretty = JSON.stringify(asked, null, 2);
const fenced = (content: string, info = "mcq", fence = "```") => `${fence}${info}\n${content}\n${fence}`;

/** Blocks as models write them, with the parsed question. */
export const readForms: Record<string, { block: string; read?: Question }> = {
  "as asked for": { block: fenced(json) },
  "over many lines": { block: fenced(pretty) },
  "with the line ends of Windows": { block: fenced(pretty).replaceAll("\n", "\r\n") },
  "with blanks behind its fences": { block: fenced(json).replaceAll("\n", "  \n") },
  "with more fields": { block: fenced(JSON.stringify({ ...asked, correct: "A", hint: "think" })) },
  "with numbers as ids": {
    block: fenced(
      JSON.stringify({ questionId: 7, question, options: [1, 2].map((id) => ({ id, text: `${id}0` })) }),
    ),
    read: { questionId: "7", question, options: [1, 2].map((id) => ({ id: `${id}`, text: `${id}0` })) },
  },
  "with a comma behind the last field": { block: fenced(pretty.replace(/\n}$/, ",\n}")) },
  "with a comma behind the last option": { block: fenced(pretty.replace("\n  ]", ",\n  ]")) },
  "with options as texts": {
    block: fenced(JSON.stringify({ questionId, question, options: options.map(({ text }) => text) })),
  },
  "with options as labelled texts": {
    block: fenced(
      JSON.stringify({ questionId, question, options: options.map(({ id, text }) => `${id}) ${text}`) }),
    ),
  },
  "with options as a map": {
    block: fenced(
      JSON.stringify({
        questionId,
        question,
        options: Object.fromEntries(options.map(({ id, text }) => [id, text])),
      }),
    ),
  },
  "with options as small maps": {
    block: fenced(
      JSON.stringify({ questionId, question, options: options.map(({ id, text }) => ({ [id]: text })) }),
    ),
  },
  "with options without ids": {
    block: fenced(JSON.stringify({ questionId, question, options: options.map(({ text }) => ({ text })) })),
  },
  "with options under other names": {
    block: fenced(
      JSON.stringify({
        id: questionId,
        text: question,
        choices: options.map(({ id, text }) => ({ label: id, value: text })),
      }),
    ),
  },
  "in single quotes": { block: fenced(pretty.replaceAll('"', "'")) },
  "in curly quotes": { block: fenced(pretty.replaceAll(/"([^"]*)"/g, "“$1”")) },
  "in German quotes": { block: fenced(pretty.replaceAll(/"([^"]*)"/g, "„$1“")) },
  "with keys without quotes": { block: fenced(pretty.replaceAll(/"(\w+)":/g, "$1:")) },
  "with a comment at a line's end": { block: fenced(pretty.replace('"q1",', '"q1", // a new id each time')) },
  "with a comment between its fields": {
    block: fenced(pretty.replace('"options"', '/* two or more */ "options"')),
  },
  "as `json`": { block: fenced(json, "json") },
  "without a language": { block: fenced(json, "") },
  "as `MCQ`": { block: fenced(json, " MCQ ") },
  "with four backticks": { block: fenced(json, "mcq", "````") },
  "with four backticks, closed by three": {
    block: `${fenced(json, "mcq", "````").slice(0, -1)}\nGood luck!`,
  },
  "with tildes": { block: fenced(json, "mcq", "~~~") },
  "without a fence at its end": { block: fenced(pretty).slice(0, -4) },
  "with its last fence behind its last bracket": { block: `\`\`\`mcq\n${pretty}\`\`\`\n` },
  "in one line with its fences": { block: `\`\`\`mcq ${json}\`\`\`` },
  indented: { block: fenced(pretty).replaceAll(/^/gm, "      ") },
  "in snake case": { block: fenced(pretty.replace("questionId", "question_id")) },
  "with translated keys": {
    block: fenced(
      JSON.stringify({
        fragenId: questionId,
        frage: question,
        antworten: options.map(({ id, text }) => ({ kennung: id, wortlaut: text })),
      }),
    ),
  },
  "with one id for all options": {
    block: fenced(
      JSON.stringify({ questionId, question, options: options.map(({ text }) => ({ id: "A", text })) }),
    ),
  },
  "in an object around it": { block: fenced(JSON.stringify({ mcq: asked })) },
  "in a list around it": { block: fenced(JSON.stringify([asked])) },
  "without its last bracket": { block: fenced(pretty.slice(0, -2)) },
};

/** Blocks without a complete question. */
export const brokenForms: Record<string, string> = {
  "cut off in its options": fenced(pretty.slice(0, pretty.indexOf("To the right") + 6)),
  "in prose": fenced(`${question}\nA) To the left\nB) To the right`),
  "with a single option": fenced(JSON.stringify({ ...asked, options: options.slice(0, 1) })),
};
