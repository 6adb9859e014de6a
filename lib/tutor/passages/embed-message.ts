import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { describeError } from "../../platform/logging/log.ts";

/** Compared with the embeddings of passages. */
export type MessageEmbedding = { model: string; vector: readonly number[]; tokens: number };

/** Only a text's beginning is searched for. */
const maxEmbeddedMessageCharacters = 1000;

/** Undefined without a model or pgvector, or on a timeout. */
export async function embedMessage(
  {
    db,
    config,
    embeddings,
    metrics,
    log,
  }: Pick<Deps, "embeddings" | "metrics" | "log"> & {
    db: ReadDb;
    config: Pick<Deps["config"], "EMBEDDINGS_TIMEOUT_MS">;
  },
  university_id: number,
  words: string,
): Promise<MessageEmbedding | undefined> {
  if (!embeddings || words.trim() === "" || !(await hasVectorExtension(db))) return undefined;
  try {
    const signal = AbortSignal.timeout(config.EMBEDDINGS_TIMEOUT_MS);
    const asked = embeddings.embed([words.slice(0, maxEmbeddedMessageCharacters)], {
      university_id,
      use: "query",
      signal,
    });
    // A client may ignore the signal while it loads its keys.
    const { vectors, tokens } = await Promise.race([asked, rejectedBy(signal)]);
    const [vector] = vectors;
    metrics.embedded("question", vector ? "made" : "refused", 1, tokens);
    return vector && { model: embeddings.model, vector, tokens };
  } catch (error) {
    metrics.embedded("question", "failed", 1, 0);
    log.warn({ error: describeError(error) }, "passages are searched by words only");
    return undefined;
  }
}

const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

const HasVectors = z.object({ there: z.boolean() });

/** Whether the database has pgvector. */
const known = new WeakMap<object, { there: Promise<boolean>; until: number }>();

const knownForMs = 300_000;

export function hasVectorExtension(db: ReadDb): Promise<boolean> {
  const found = known.get(db);
  if (found && found.until > performance.now()) return found.there;
  const there = rowsOf(db, HasVectors, sql`select to_regtype('vector') is not null as there`).then(
    ([row]) => row?.there ?? false,
    (error: unknown) => {
      known.delete(db);
      throw error;
    },
  );
  known.set(db, { there, until: performance.now() + knownForMs });
  return there;
}
