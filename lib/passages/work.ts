import type { Deps } from "../deps.ts";
import { embedPassages } from "./embed.ts";
import { measureByMeaning } from "./measure.ts";

/** Asks the model of embeddings what passages mean, and then measures how well they are found by it; nothing without a model. */
export async function workEmbeddings(
  deps: Pick<Deps, "db" | "config" | "now" | "embeddings" | "metrics">,
  signal: AbortSignal,
): Promise<{ embedded: number; measured: number }> {
  const { embedded } = await embedPassages(deps, signal);
  return { embedded, measured: await measureByMeaning(deps, signal) };
}
