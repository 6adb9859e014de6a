import type { Deps } from "../../deps.ts";
import { embedPassages } from "./embed.ts";
import { measureRetrievalWithEmbeddings } from "./measure-retrieval.ts";

/** Does nothing without a model. */
export async function embedAndMeasurePassages(
  deps: Pick<Deps, "db" | "config" | "now" | "embeddings" | "metrics">,
  signal: AbortSignal,
): Promise<{ embedded: number; measured: number }> {
  const { embedded } = await embedPassages(deps, signal);
  return { embedded, measured: await measureRetrievalWithEmbeddings(deps, signal) };
}
