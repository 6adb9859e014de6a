import type { Config } from "../config.ts";
import type { LlmMessage, LlmRequest } from "./provider.ts";
import type { Silence } from "./silence-watch.ts";

/** How models are asked to answer, whichever provider serves them. */
export type Tuning = {
  /** `model` says nothing, and leaves it to the model. */
  thinking: "off" | "adaptive" | "model";
  effort?: Config["LLM_EFFORT"];
  /** Newer models refuse it. */
  temperature?: number | undefined;
  /** Whether the prefix that calls share is marked for the provider to keep, and to bill at a fraction. */
  promptCaching: boolean;
  /** Whether the models think aloud from their first word on: nothing is said before `</think>`. */
  thinksUnopened?: boolean;
};

/** How every call of a provider is made: how it is to be answered, and within what. */
export type CallOptions = {
  tuning: Tuning;
  /** Upper limit of an answer's length, in tokens. */
  maxTokens: number;
  /** Upper limit of an answer's duration, in milliseconds. */
  timeoutMs: number;
  silenceMs: Silence;
};

export type TuningSettings = Pick<
  Config,
  "LLM_THINKING" | "LLM_THINKING_UNOPENED" | "LLM_EFFORT" | "LLM_TEMPERATURE" | "LLM_PROMPT_CACHING"
>;

export const tuningOf = (settings: TuningSettings): Tuning => ({
  thinking: settings.LLM_THINKING,
  effort: settings.LLM_EFFORT,
  temperature: settings.LLM_TEMPERATURE,
  promptCaching: settings.LLM_PROMPT_CACHING,
  thinksUnopened: settings.LLM_THINKING_UNOPENED,
});

/**
 * How Anthropic's models are told not to think before they answer, as of November 2026; the first name that fits holds.
 * Older ones do not think unless they are asked to.
 */
const thinkingOff: [name: string, type: "between_tools" | "disabled" | undefined][] = [
  ["claude-sonnet-5-5", "between_tools"],
  // Thinks whatever it is told.
  ["claude-opus-5-5", undefined],
  ["claude-sonnet-5", "disabled"],
  ["claude-opus-5", "disabled"],
  ["claude-haiku-5", "disabled"],
];

/** What the requests to one of Anthropic's models say beside the conversation: how to think, and how hard. */
export function claudeFields(model: string, { thinking, effort }: Tuning) {
  const off = thinkingOff.find(([name]) => model.includes(name))?.[1];
  const type = thinking === "off" ? off : thinking === "adaptive" ? thinking : undefined;
  return {
    ...(type && { thinking: { type } }),
    ...(effort && effort !== "none" && { output_config: { effort } }),
  };
}

/** The temperature of a call: that of its request, else the configured one, else none, which leaves it to the model. */
export function temperatureOf(
  request: Pick<LlmRequest, "temperature">,
  tuning: Pick<Tuning, "temperature">,
): { temperature?: number } {
  const temperature = request.temperature ?? tuning.temperature;
  return temperature === undefined ? {} : { temperature };
}

/** Where the conversation's prefix ends: before what was said last, which the next call may not share; -1 for none. */
export const endOfPrefix = (messages: readonly LlmMessage[], { promptCaching }: Tuning): number =>
  promptCaching ? messages.length - 2 : -1;
