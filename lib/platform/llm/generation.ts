import type { TracedCall, TracedOutcome } from "./tracer.ts";

const levels: Record<TracedOutcome["end"], string> = {
  complete: "DEFAULT",
  "cut off": "WARNING",
  failed: "ERROR",
};

export function langfuseSpanAttributes(
  call: TracedCall,
  outcome: TracedOutcome,
): Record<string, string | number> {
  const { prompt_name, prompt_version } = call;
  const { end, first_chunk_at, reason, stop_reason } = outcome;
  return {
    "langfuse.observation.type": "generation",
    "langfuse.trace.name": langfuseTraceName,
    ...(call.session_id !== null && { "session.id": String(call.session_id) }),
    ...(call.user_id !== null && { "user.id": String(call.user_id) }),
    "langfuse.observation.prompt.name": prompt_name,
    "langfuse.observation.prompt.version": prompt_version,
    "langfuse.observation.model.name": call.model,
    "langfuse.observation.usage_details": JSON.stringify(usageOf(outcome)),
    "langfuse.observation.level": levels[end],
    ...(reason && { "langfuse.observation.status_message": reason }),
    ...(first_chunk_at && { "langfuse.observation.completion_start_time": JSON.stringify(first_chunk_at) }),
    // Langfuse drops names of prompts that it does not manage, but keeps metadata.
    ...metadata({ provider: call.provider, end, stop_reason, prompt_name, prompt_version }),
  };
}

export const langfuseTraceName = "tutor answer";

function usageOf(said: TracedOutcome): Record<string, number> {
  return {
    ...(said.input_tokens && { input: said.input_tokens }),
    ...(said.output_tokens && { output: said.output_tokens }),
    ...(said.cache_read_tokens && { cache_read_input_tokens: said.cache_read_tokens }),
    ...(said.cache_write_tokens && { cache_creation_input_tokens: said.cache_write_tokens }),
  };
}

function metadata(values: Record<string, string | number | undefined>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      value === undefined ? [] : [[`langfuse.observation.metadata.${key}`, value]],
    ),
  );
}
