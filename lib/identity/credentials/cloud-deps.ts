import type { ExtraDepsFactory } from "../../deps.ts";
import { chooseEmbeddingsProvider, chooseProvider } from "../../platform/llm/choose-llm-provider.ts";
import { chooseTracer } from "../../platform/llm/langfuse.ts";
import { tracedProvider } from "../../platform/llm/traced.ts";
import { chooseStore } from "./choose-credential-store.ts";
import { createExpiringCloudKeyResolver } from "./resolve.ts";

/** For functions that bundle the cloud SDKs. */
export const cloudDeps: ExtraDepsFactory = ({ config, db, log }) => {
  const credentials = chooseStore(config, db, log);
  const tracer = chooseTracer(config, log);
  const keys = createExpiringCloudKeyResolver(config, credentials);
  return {
    credentials,
    tracer,
    llm: tracedProvider(chooseProvider(config, keys), tracer),
    embeddings: chooseEmbeddingsProvider(config, keys),
  };
};
