import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { LlmError } from "../../platform/llm/provider.ts";
import { askMeanings } from "./ask-meanings.ts";
import { hasVectors } from "./meaning.ts";

/** The maximum of one call. */
const atOnce = 96;

const Row = z.object({
  batch: z
    .object({
      up_to: z.int(),
      passages: z.array(z.object({ id: z.int(), university_id: z.int(), words: z.string() })),
    })
    .nullable(),
});

type Batch = NonNullable<z.output<typeof Row>["batch"]>;

type EmbedDeps = Pick<Deps, "db" | "config" | "now" | "embeddings" | "metrics">;

/**
 * Embeds passages without a vector of the current model in steps, until none is left or the signal stops it.
 * Universities take turns with their own keys. One that fails is skipped until the next call, rejected ones
 * until the next day. Returns the number of vectors, 0 without a model or pgvector. Rejects at the end if any
 * call failed.
 */
export async function embedPassages(deps: EmbedDeps, signal: AbortSignal): Promise<{ embedded: number }> {
  const { db, now, embeddings } = deps;
  let embedded = 0;
  const failed: unknown[] = [];
  const passedOver = new Set<number>();
  const refused: number[] = [];
  if (!embeddings || !(await hasVectors(db))) return { embedded };
  while (!signal.aborted) {
    const moment = now().toISOString();
    const [row] = await rowsOf(
      db,
      Row,
      sql`select passages_without_vector(${embeddings.model}, ${moment}::timestamptz, ${atOnce},
            ${sql.param([...passedOver])}::int[], ${sql.param(refused)}::bigint[]) as batch`,
    );
    if (!row?.batch) break;
    const made: { id: number; vector: number[] }[] = [];
    let { up_to } = row.batch;
    for (const [university_id, passages] of byUniversity(row.batch))
      try {
        const texts = passages.map(({ words }) => words);
        const vectors = await askMeanings(deps, embeddings, "passage", { university_id, texts }, signal);
        made.push(...passages.map(({ id }, at) => ({ id, vector: vectors[at] ?? [] })));
      } catch (error) {
        failed.push(error);
        if (isForNow(error)) {
          passedOver.add(university_id);
          up_to = Math.min(up_to, (passages[0]?.id ?? 1) - 1);
        } else refused.push(...passages.map(({ id }) => id));
      }
    await db.execute(sql`
      select keep_passage_vectors(${embeddings.model}, ${moment}::timestamptz, ${up_to}::bigint,
        ${JSON.stringify(made)}::jsonb)`);
    embedded += made.length;
    // If every university failed, the model itself is unavailable.
    if (made.length === 0 && failed.length > 0) break;
  }
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join("; "));
  return { embedded };
}

/** A retry may succeed soon; then the next call begins with it. */
const isForNow = (error: unknown): boolean => !(error instanceof LlmError) || error.kind !== "rejected";

const byUniversity = ({ passages }: Batch) => Map.groupBy(passages, ({ university_id }) => university_id);
