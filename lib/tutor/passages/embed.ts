import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { LlmError } from "../../platform/llm/provider.ts";
import { hasVectorExtension } from "./embed-message.ts";
import { embedUniversityTexts } from "./embed-texts.ts";

/** The maximum of one call. */
const passagesPerEmbeddingCall = 96;

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
 * Embeds passages without a vector of the current model, until none is left or the signal stops it.
 * Universities take turns with their own keys. A failed one is skipped until the next call, rejected passages
 * until the next day. Returns the number of vectors, 0 without a model or pgvector. Rejects at the end if any
 * call failed.
 */
export async function embedPassages(deps: EmbedDeps, signal: AbortSignal): Promise<{ embedded: number }> {
  const { db, now, embeddings } = deps;
  let embedded = 0;
  const failed: unknown[] = [];
  const passedOver = new Set<number>();
  const refused: number[] = [];
  if (!embeddings || !(await hasVectorExtension(db))) return { embedded };
  while (!signal.aborted) {
    const moment = now().toISOString();
    const [row] = await rowsOf(
      db,
      Row,
      passagesWithoutVectorQuery({
        model: embeddings.model,
        moment,
        most: passagesPerEmbeddingCall,
        passedOver: [...passedOver],
        refused,
      }),
    );
    if (!row?.batch) break;
    const made: { id: number; vector: number[] }[] = [];
    let { up_to } = row.batch;
    for (const [university_id, passages] of byUniversity(row.batch))
      try {
        const texts = passages.map(({ words }) => words);
        const vectors = await embedUniversityTexts(
          deps,
          embeddings,
          "passage",
          { university_id, texts },
          signal,
        );
        made.push(...passages.map(({ id }, at) => ({ id, vector: vectors[at] ?? [] })));
      } catch (error) {
        failed.push(error);
        if (isForNow(error)) {
          passedOver.add(university_id);
          up_to = Math.min(up_to, (passages[0]?.id ?? 1) - 1);
        } else refused.push(...passages.map(({ id }) => id));
      }
    await db.execute(sql`
      select store_passage_vectors(${embeddings.model}, ${moment}::timestamptz, ${up_to}::bigint,
        ${JSON.stringify(made)}::jsonb)`);
    embedded += made.length;
    // If every university failed, the model itself is unavailable.
    if (made.length === 0 && failed.length > 0) break;
  }
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join("; "));
  return { embedded };
}

/**
 * The next passages without a vector; null when all were checked. Universities alternate among the next 2000.
 * Once a day all are checked again.
 */
export const passagesWithoutVectorQuery = (asked: {
  model: string;
  moment: string;
  most: number;
  passedOver: readonly number[];
  refused: readonly number[];
}): SQL => sql`
  with next as materialized (
    select passage.id from passages as passage
    where passage.id > coalesce((
      select done_to from passage_vector_sweeps
      where model = ${asked.model} and begun_at > ${asked.moment}::timestamptz - interval '1 day'), 0)
    order by passage.id limit 2000
  ), missing as materialized (
    select next.id, item.university_id, item.title || E'\n' || passage.body as words,
           row_number() over (partition by item.university_id order by next.id) as turn
    from next join passages as passage on passage.id = next.id
    join content_items as item on item.id = passage.content_item_id
    where not exists (
        select from passage_vectors as told where told.passage_id = next.id and told.model = ${asked.model})
      and next.id <> all (${sql.param(asked.refused)}::bigint[])
  ), taken as materialized (
    select * from missing where university_id <> all (${sql.param(asked.passedOver)}::int[])
    order by turn, id limit ${asked.most}
  )
  select case when exists (select from next) then jsonb_build_object(
    'up_to', coalesce(
      (select min(missing.id) - 1 from missing left join taken on taken.id = missing.id where taken.id is null),
      (select max(id) from next)),
    'passages', (
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'university_id', university_id, 'words', words) order by id), '[]')
      from taken)) end as batch`;

const isForNow = (error: unknown): boolean => !(error instanceof LlmError) || error.kind !== "rejected";

const byUniversity = ({ passages }: Batch) => Map.groupBy(passages, ({ university_id }) => university_id);
