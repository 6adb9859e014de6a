import type { PartsFactory } from "../deps.ts";
import { chooseProvider } from "../llm/choose.ts";
import { chooseTracer } from "../llm/langfuse.ts";
import { tracedProvider } from "../llm/traced.ts";
import { chooseStore } from "./choose.ts";
import { expiringKeys } from "./resolve.ts";

/**
 * What calls the LLM and follows its calls, and where its keys are kept: for the functions that carry the clients
 * of the cloud.
 */
export const cloudParts: PartsFactory = ({ config, db, log }) => {
  const credentials = chooseStore(config, db, log);
  const tracer = chooseTracer(config, log);
  const llm = chooseProvider(config, expiringKeys(config, credentials));
  return { credentials, tracer, llm: tracedProvider(llm, tracer) };
};
