import { type LlmMessage, type LlmRequest, messageText } from "../../../lib/platform/llm/provider.ts";
import { promptVariableValues } from "../../../lib/tutor/chat/content-context.ts";
import type { Exchange } from "../../../lib/tutor/chat/history.ts";
import { resultsForPrompt } from "../../../lib/tutor/chat/learner-results.ts";
import { llmRequest } from "../../../lib/tutor/chat/llm-request.ts";
import type { OpenTurn } from "../../../lib/tutor/chat/open-turn.ts";
import { privateMessageText } from "../../../lib/tutor/chat/private-context.ts";
import { teacherPromptAdditions } from "../../../lib/tutor/chat/tutor-context.ts";
import { resolveTutorPrompt } from "../../../lib/tutor/chat/tutor-prompt.ts";
import { formatKeyBlock } from "../../../lib/tutor/dialogue/read-key.ts";
import { correctionRequest } from "../../../lib/tutor/generations/correction-request.ts";
import { passagesForPrompt } from "../../../lib/tutor/passages/passages-for-prompt.ts";
import { exampleTypes, greeting, privately, second, topicOf } from "./examples.ts";

/** A kind of turn: the learner's message, whether its answer is shared, and the conversation before it. */
type Kind = {
  name: string;
  content: string;
  message: string | null;
  move?: string | null;
  before: readonly Exchange[];
  isAside?: boolean;
};

const answer = (choice: string) => `{"answer":"${choice}","questionId":"q1"}`;

const kinds: readonly Kind[] = [
  { name: "The greeting", content: "Start.", message: "Start.", before: [] },
  {
    name: "A choice that the class shares",
    content: '{ "questionId": "q1", "answer": " A " }',
    message: answer("A"),
    before: [greeting],
  },
  {
    name: "A move, such as a hint",
    content: "@hint",
    message: "@hint",
    move: "@hint",
    before: [greeting],
  },
  {
    name: "The move to own words",
    content: "@my_words",
    message: "@my_words",
    move: "@my_words",
    before: [greeting],
  },
  {
    name: "A choice in a private conversation",
    content: answer("A"),
    message: null,
    before: [greeting, { question: "Why a string?", answer: "You can see it move." }],
  },
  {
    name: "Free text",
    content: "Why does it stand still there?",
    message: null,
    before: [greeting],
  },
  {
    name: "Free text in an aside",
    content: "Why does it stand still there?",
    message: null,
    before: [{ ...greeting, before_aside: true }],
    isAside: true,
  },
];

/** With `LLM_QUESTION_TOOL`: a choice, and a move at the next question. */
const withTool: Kind = {
  name: "A move after a choice",
  content: "@hint",
  message: "@hint",
  move: "@hint",
  before: [greeting, { ...second, question: answer("A") }],
};

/** A request's parts, and how to find each one's text. */
const parts: readonly [name: string, text: (type: string) => string][] = [
  [
    "The prompt with the material",
    (type) => promptVariableValues(topicOf(type), maxMaterial)["content"] ?? "",
  ],
  ["Teachers' notes", (type) => promptVariableValues(topicOf(type), maxMaterial)["tutor_notes"] ?? ""],
  ["Teachers' lines", (type) => teacherPromptAdditions(topicOf(type).tutor)],
  ["Earlier messages", () => greeting.answer],
  ["Their keys", () => (greeting.key ? formatKeyBlock(greeting.key) : "")],
  ["The learner's results", () => resultsForPrompt(privately.results)],
  ["Passages", () => passagesForPrompt(privately.passages)],
];

const maxMaterial = 24_000;

/** A turn's request with all possible context: parts missing here are never sent for such a turn. */
function requestOf(
  template: string,
  type: string,
  { content, message, move = null, before, isAside = false }: Kind,
  hasTool = false,
): LlmRequest {
  const turn: OpenTurn = {
    ...{ session_id: 1, user_id: 1, message_id: 1, token: "", model: "model", university_id: 1 },
    ...{ content, message, move, shared: message !== null, parent_id: null, generation: null },
    graph: { root: 1, prompts: [{ id: 1, name: "tutor", version: 1, prompt: template }], links: [] },
  };
  // Shared turns drop private context; some private turns never receive it.
  const isGiven = turn.shared || privateMessageText(turn) !== undefined;
  return llmRequest(
    turn,
    resolveTutorPrompt(turn),
    { context: topicOf(type), exchanges: before, is_aside: isAside, ...(isGiven && privately) },
    { maxMaterial, hasTool, bounds: { models: [], highestTemperature: 1, longestAnswer: 4096 } },
  );
}

const textOf = ({ system, messages }: LlmRequest): string =>
  [system, ...messages.map(messageText)].join("\n");

/** docs/reference/tutor-input.md: the tutor's input by kind of turn and content type, as the code assembles it. */
export function toldDocument(template: string): string {
  return `${[
    introduction,
    "## By kind of turn",
    kindsTable(template),
    "Shared answers depend on the path alone: the requests of two learners are identical. The examples have all possible context; a request leaves out parts without a tick.",
    ...kinds.map((kind) => example(template, kind)),
    correction(template),
    "## With the question tool",
    "With `LLM_QUESTION_TOOL` the tutor asks by calling a tool. The prompt has the rules of the tool instead of those of blocks, and earlier questions are calls.",
    example(template, withTool, true),
    block(toolRules(template)),
    "## By content type",
    sizesTable(template),
    ...exampleTypes.map(material),
    "## A whole prompt",
    "The prompt of a new installation, for the example of a text.",
    block(requestOf(template, "text", kinds[0] as Kind).system),
  ].join("\n\n")}\n`;
}

const introduction = `# Input of the tutor

After this page you know which data a request to the LLM contains.

\`npm run generate tutor\` writes this page with the code that assembles requests, from fixed examples.

A request is the topic's prompt and the messages of the conversation. It never contains names, addresses, or grades of other
items. It contains the learner's results only if they chose that in their account, only for this topic, and only what they
may see: scores of attempts, missed questions if the quiz shows its answers, and the state of submissions with released
scores. During an exam it contains none. Passages are of content that the learner may open.`;

function kindsTable(template: string): string {
  const rows = kinds.map((kind) => {
    const text = textOf(requestOf(template, "text", kind));
    return [kind.name, ...parts.map(([, part]) => (text.includes(part("text")) ? "✓" : ""))];
  });
  return table([["Turn", ...parts.map(([name]) => name)], ...rows]);
}

function sizesTable(template: string): string {
  const rows = exampleTypes.map((type) => {
    const { system } = requestOf(template, type, kinds[0] as Kind);
    const { content = "" } = promptVariableValues(topicOf(type), maxMaterial);
    return [
      `\`${type}\``,
      String(content.length),
      String(system.length),
      String(Math.ceil(system.length / 4)),
    ];
  });
  return table([
    ["Type", "Characters of the material", "Of the whole prompt", "About as many tokens"],
    ...rows,
  ]);
}

/** A turn's messages; the system prompt is the same for all turns of a topic. */
const example = (template: string, kind: Kind, hasTool = false): string =>
  messagesOf(kind.name, requestOf(template, "text", kind, hasTool));

function linesOf(message: LlmMessage): string[] {
  const { role, content } = message;
  const said = content ? [`${role}: ${content}`] : [];
  if (role === "user") return message.result ? [`result: ${message.result.content}`, ...said] : said;
  const { call } = message;
  return call ? [...said, `call of ${call.name}: ${JSON.stringify(call.input)}`] : said;
}

/** The prompt's lines that only requests with the tool have. */
function toolRules(template: string): string {
  const linesFor = (hasTool: boolean) => requestOf(template, "text", withTool, hasTool).system.split("\n");
  const others = new Set(linesFor(false));
  return linesFor(true)
    .filter((line) => !others.has(line))
    .join("\n");
}

/** The second request after a greeting that failed a check. */
function correction(template: string): string {
  const request = requestOf(template, "text", kinds[0] as Kind);
  const reason = "The answer has no question with options";
  return messagesOf(
    "After a shared answer that failed a check",
    correctionRequest(request, "Welcome!", [{ check: "question_asked", reason }]),
  );
}

const messagesOf = (title: string, { messages }: LlmRequest): string =>
  [`### ${title}`, block(messages.flatMap(linesOf).join("\n\n"))].join("\n\n");

function material(type: string): string {
  const { content = "" } = promptVariableValues(topicOf(type), maxMaterial);
  return [`### The material of a \`${type}\``, block(content)].join("\n\n");
}

const block = (text: string): string => `\`\`\`\`text\n${text}\n\`\`\`\``;

function table([head = [], ...rows]: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
