import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { repeatInStepsWhileMore } from "../../platform/db/query/steps.ts";
import type { EmbeddingsProvider } from "../../platform/llm/embeddings.ts";
import { hasVectorExtension } from "./embed-message.ts";
import { embedUniversityTexts } from "./embed-texts.ts";

/** In the first step: checking a course takes 1 to 2 ms. */
const retrievalMeasurementsPerStep = { courses: 50, questions: 20 };

/** Reports wait for the jobs after this one. */
const maxRetrievalMeasurementMs = 30_000;

type MeasureDeps = Pick<Deps, "db" | "now">;

/**
 * Measures how often search finds the right passage for a course's quiz questions, for 30 seconds or until
 * `signal`; the next run continues. Lexical only. Returns the number of steps.
 */
export async function measureLexicalRetrieval(
  { db, now, config }: MeasureDeps & Pick<Deps, "config">,
  signal: AbortSignal,
): Promise<number> {
  return config.EMBEDDINGS_MODEL ? 0 : measureByWords({ db, now }, signal);
}

async function measureByWords({ db, now }: MeasureDeps, signal: AbortSignal): Promise<number> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(maxRetrievalMeasurementMs)]);
  const moment = now().toISOString();
  const looked = await lookAtMeasures({ db, now }, null, stop);
  const measured = await repeatInStepsWhileMore(
    db,
    { rows: retrievalMeasurementsPerStep.questions, signal: stop },
    (rows) => sql`measure_next_retrieval_step(${moment}::timestamptz, ${rows}::int)`,
  );
  return looked + measured;
}

const lookAtMeasures = (
  { db, now }: MeasureDeps,
  model: string | null,
  signal: AbortSignal,
): Promise<number> =>
  repeatInStepsWhileMore(
    db,
    { rows: retrievalMeasurementsPerStep.courses, signal },
    (rows) =>
      sql`start_due_retrieval_measurements(${now().toISOString()}::timestamptz, ${rows}::int, ${model}::text)`,
  );

const Question = z.object({ id: z.int(), university_id: z.int(), question_text: z.string() });

type MeaningDeps = MeasureDeps & Pick<Deps, "config" | "embeddings" | "metrics">;

/** Lexical only without pgvector. Rejects if the model is unavailable; earlier results stay. */
export async function measureRetrievalWithEmbeddings(
  deps: MeaningDeps,
  signal: AbortSignal,
): Promise<number> {
  const { db, embeddings } = deps;
  if (!embeddings) return 0;
  if (!(await hasVectorExtension(db))) return measureByWords(deps, signal);
  const stop = AbortSignal.any([signal, AbortSignal.timeout(maxRetrievalMeasurementMs)]);
  let steps = await lookAtMeasures(deps, embeddings.model, stop);
  for (let isMore = true; isMore && !stop.aborted; steps++)
    isMore = await measureStep(deps, embeddings, stop);
  return steps;
}

const IsMore = z.object({ is_more: z.boolean() });

export const questionsToMeasureQuery = (most: number): SQL => sql`
  select asked.id, course.university_id, asked.question_text
  from (
    select course_id, last_question_id from passage_measures where last_question_id is not null
    order by looked_at, course_id limit 1
  ) as mine join courses as course on course.id = mine.course_id
  cross join lateral quiz_questions_of_modules_with_passages(course.id) as asked
  where asked.id > mine.last_question_id order by asked.id limit ${most}`;

async function measureStep(
  deps: MeaningDeps,
  embeddings: EmbeddingsProvider,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, now } = deps;
  const asked = await rowsOf(db, Question, questionsToMeasureQuery(retrievalMeasurementsPerStep.questions));
  const meanings: Record<number, number[]> = {};
  const [first] = asked;
  if (first) {
    const about = { university_id: first.university_id, texts: asked.map((one) => one.question_text) };
    const vectors = await embedUniversityTexts(deps, embeddings, "measure", about, signal);
    for (const [at, { id }] of asked.entries()) meanings[id] = vectors[at] ?? [];
  }
  const [row] = await rowsOf(
    db,
    IsMore,
    sql`select measure_next_retrieval_step(${now().toISOString()}::timestamptz, ${retrievalMeasurementsPerStep.questions}, ${embeddings.model},
      ${JSON.stringify(meanings)}::jsonb) as is_more`,
  );
  return row?.is_more ?? false;
}
