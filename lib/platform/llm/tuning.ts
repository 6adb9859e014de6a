import type { Config } from "../../config.ts";
import type { ReasoningPair } from "../validation/reasoning-tags.ts";
import type { LlmMessage, LlmRequest } from "./provider.ts";
import type { ReasoningMarkOptions } from "./reasoning-filter.ts";
import type { SilenceLimits } from "./silence-watch.ts";

export type ModelTuning = {
  /** `model` sends nothing and keeps the model's default. */
  thinking: "off" | "adaptive" | "model";
  effort?: Config["LLM_EFFORT"];
  /** Newer models reject it. */
  temperature?: number | undefined;
  promptCaching: boolean;
  thinksUnopened?: boolean;
  reasoningTags?: readonly ReasoningPair[];
};

export type CallOptions = {
  tuning: ModelTuning;
  maxTokens: number;
  /** Limit of an answer's duration. */
  timeoutMs: number;
  silenceMs: SilenceLimits;
};

export type TuningSettings = Pick<
  Config,
  | "LLM_THINKING"
  | "LLM_THINKING_UNOPENED"
  | "LLM_REASONING_TAGS"
  | "LLM_EFFORT"
  | "LLM_TEMPERATURE"
  | "LLM_PROMPT_CACHING"
>;

export const toModelTuning = (settings: TuningSettings): ModelTuning => ({
  thinking: settings.LLM_THINKING,
  effort: settings.LLM_EFFORT,
  temperature: settings.LLM_TEMPERATURE,
  promptCaching: settings.LLM_PROMPT_CACHING,
  thinksUnopened: settings.LLM_THINKING_UNOPENED,
  reasoningTags: settings.LLM_REASONING_TAGS,
});

export const toReasoningMarkOptions = ({
  thinksUnopened = false,
  reasoningTags = [],
}: ModelTuning): ReasoningMarkOptions => ({
  isUnopened: thinksUnopened,
  pairs: reasoningTags,
});

/** As of November 2026; the first matching name applies. Older models think only on request. */
const thinkingOff: [name: string, type: "between_tools" | "disabled" | undefined][] = [
  ["claude-sonnet-5-5", "between_tools"],
  // Always thinks.
  ["claude-opus-5-5", undefined],
  ["claude-sonnet-5", "disabled"],
  ["claude-opus-5", "disabled"],
  ["claude-haiku-5", "disabled"],
];

export function claudeThinkingAndEffortFields(model: string, { thinking, effort }: ModelTuning) {
  const off = thinkingOff.find(([name]) => model.includes(name))?.[1];
  const type = thinking === "off" ? off : thinking === "adaptive" ? thinking : undefined;
  return {
    ...(type && { thinking: { type } }),
    ...(effort && effort !== "none" && { output_config: { effort } }),
  };
}

export function temperatureField(
  request: Pick<LlmRequest, "temperature">,
  tuning: Pick<ModelTuning, "temperature">,
): { temperature?: number } {
  const temperature = request.temperature ?? tuning.temperature;
  return temperature === undefined ? {} : { temperature };
}

/** All but the latest, which the next call may not share; -1 for none. */
export const lastCachedMessageIndex = (
  messages: readonly LlmMessage[],
  { promptCaching }: ModelTuning,
): number => (promptCaching ? messages.length - 2 : -1);
