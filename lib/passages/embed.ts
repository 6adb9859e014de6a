import { sql } from "drizzle-orm";
import * as z from "zod";
import { rowsOf } from "../db/query/rows.ts";
import type { Deps } from "../deps.ts";
import { LlmError } from "../llm/provider.ts";
import { askMeanings } from "./ask-meanings.ts";
import { hasVectors } from "./meaning.ts";

/** Passages of a step, as many as a call of the model takes. */
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
 * Asks the model what the passages mean that have no vector of it, some at a time, until none is left or the signal stops it:
 * the next call goes on from there. Universities take turns, each with its own keys: one that cannot be asked for now is
 * passed over until the next call, and what is refused until the next day. Answers how many vectors were made; none
 * without a model or pgvector. Rejects, after the others, where the model could not be asked for some of it.
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
    // Where nobody could be asked the model is away, for all.
    if (made.length === 0 && failed.length > 0) break;
  }
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join("; "));
  return { embedded };
}

/** Whether the same may succeed in a moment: then it is what the next call begins with. */
const isForNow = (error: unknown): boolean => !(error instanceof LlmError) || error.kind !== "rejected";

const byUniversity = ({ passages }: Batch) => Map.groupBy(passages, ({ university_id }) => university_id);
