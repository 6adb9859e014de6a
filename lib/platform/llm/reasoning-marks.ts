import type { ReasoningPair } from "../validation/reasoning-tags.ts";

const names = [
  ...["think", "thinking", "thought", "thoughts", "reasoning", "reflection", "seed:think", "scratchpad"],
  ...["analysis", "inner_monologue", "chain_of_thought", "antthinking", "antml:thinking", "longcat_think"],
  ...["inner_thought", "inner_thoughts", "internal_monologue", "thinking_process", "thought_process"],
  ...["reasoning_process", "reasoning_content", "hidden_reasoning"],
];

const pairs: readonly ReasoningPair[] = [
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["<|begin_of_thinking|>", "<|end_of_thinking|>"],
  ["<|thinking|>", "<|/thinking|>"],
  ["<|channel>thought", "<channel|>"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|thought_begin|>", "<|thought_end|>"],
  ["<|inner_prefix|>", "<|inner_suffix|>"],
  ["<|think|>", "<|content|>"],
  ["<unused94>thought", "<unused95>"],
  ["[unused16]", "[unused17]"],
];

const channel = "<|channel|>";
export const channelMessageMark = "<|message|>";
/** The next channel or message ends one as well. */
export const channelEndMarks: readonly string[] = ["<|end|>", "<|return|>", "<|call|>", "<|start|>", channel];

const templateTokens = [
  ...["<s>", "</s>", "<bos>", "<eos>", "<pad>", "<unk>"],
  ...["<start_of_turn>model", "<start_of_turn>assistant", "<start_of_turn>", "<end_of_turn>"],
  ...["[INST]", "[/INST]", "[BOS]", "[EOS]", "[TOOL_RESULTS]", "<<SYS>>", "<</SYS>>"],
];
const roleTokens = ["<|im_start|>", "<|start|>", "<|begin|>", "<|start_header_id|>"];
const token = /^<[|｜][^\s<>|｜]{1,60}[|｜]>/u;
const tokenBegun = /^<(?:[|｜][^\s<>|｜]{0,60}[|｜]?)?$/u;
const role = /^(?:assistant|model|user|system|tool)(?![a-z])/;
const roles = ["assistant", "model", "user", "system", "tool"];

/** A tag with attributes, complete or not, with its name. */
const tag = /^<([a-z:_]{1,20})(?:\s[^<>]{0,200})?(>|$)/i;

function tagAt(text: string): { name: string; length: number; isComplete: boolean } | undefined {
  const [found = "", written = "", end] = tag.exec(text) ?? [];
  return names.includes(written.toLowerCase())
    ? { name: written, length: found.length, isComplete: end === ">" }
    : undefined;
}

/** The longest mark, with attributes. */
export const maxReasoningMarkCharacters = 240;

/** `isWeak`: a word of ordinary text, which within a line is reasoning only if closed. */
export type ReasoningMark = { length: number } & (
  | { kind: "reasoning"; ends: readonly string[]; isWeak: boolean }
  | { kind: "channel" }
  | { kind: "token" }
);

const startsWith = (text: string, mark: string) =>
  text.slice(0, mark.length).toLowerCase() === mark.toLowerCase();
const isPrefix = (text: string, mark: string) => startsWith(mark, text) && text.length < mark.length;

/** The first three characters of all marks, or two of tokens. Most text has none. */
const beginnings = new Set(
  [...names.map((name) => `<${name}`), ...pairs.map(([open]) => open), ...templateTokens, "<|", "<｜"].map(
    (mark) => mark.slice(0, 3).toLowerCase(),
  ),
);

const mayBegin = (text: string, further: readonly ReasoningPair[]): boolean =>
  text.length < 3 ||
  [2, 3].some((length) => beginnings.has(text.slice(0, length).toLowerCase())) ||
  further.some(([open]) => startsWith(text, open.slice(0, 3)));

/** "more" if the text may become a mark, undefined for none. */
export function reasoningMarkAt(
  text: string,
  further: readonly ReasoningPair[],
  isEnd: boolean,
): ReasoningMark | "more" | undefined {
  if (!mayBegin(text, further)) return undefined;
  const known = [...further, ...pairs];
  const literals = [...known.map(([open]) => open), ...templateTokens, channel];
  const mayGrow =
    literals.some((one) => isPrefix(text, one)) ||
    tagAt(text)?.isComplete === false ||
    tokenBegun.test(text) ||
    names.some((name) => isPrefix(text, `<${name}`));
  if (!isEnd && mayGrow) return "more";
  if (startsWith(text, channel)) return { kind: "channel", length: channel.length };
  const pair = known.find(([open]) => startsWith(text, open));
  if (pair)
    return { kind: "reasoning", length: pair[0].length, ends: [pair[1]], isWeak: pair[0] === "[THINK]" };
  const opened = tagAt(text);
  if (opened?.isComplete)
    return { kind: "reasoning", length: opened.length, ends: [`</${opened.name}>`], isWeak: true };
  const [named = templateTokens.find((one) => startsWith(text, one))] = token.exec(text) ?? [];
  if (named === undefined) return undefined;
  if (!roleTokens.includes(named)) return { kind: "token", length: named.length };
  const rest = text.slice(named.length);
  if (!isEnd && (rest === "" || roles.some((one) => one.startsWith(rest)))) return "more";
  return { kind: "token", length: named.length + (role.exec(rest)?.[0].length ?? 0) };
}

/** Ends of reasoning that a model begins without a mark. */
export const unopenedReasoningEndMarks: readonly string[] = [
  ...names.map((name) => `</${name}>`),
  ...pairs.map(([, close]) => close),
];
