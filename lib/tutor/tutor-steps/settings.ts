import type { Config } from "../../config.ts";
import type { KnowledgeParameters } from "./knowledge-tracing.ts";

type Given = Pick<
  Config,
  | "KNOWLEDGE_TRACING_INITIAL"
  | "KNOWLEDGE_TRACING_LEARN"
  | "KNOWLEDGE_TRACING_GUESS"
  | "KNOWLEDGE_TRACING_SLIP"
>;

export const knowledgeParameters = (config: Given): KnowledgeParameters => ({
  initial: config.KNOWLEDGE_TRACING_INITIAL,
  learn: config.KNOWLEDGE_TRACING_LEARN,
  guess: config.KNOWLEDGE_TRACING_GUESS,
  slip: config.KNOWLEDGE_TRACING_SLIP,
});
