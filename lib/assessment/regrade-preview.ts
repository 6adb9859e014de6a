import { inArray, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { AnswerKey, QuestionKind, QuestionScoring } from "../../schema/api/assessment/questions.ts";
import {
  maxListedRegradeChanges,
  QuizQuestion,
  type RegradePreview,
  type RegradePreviewQuery,
} from "../../schema/api/assessment/quiz-attempts.ts";
import type { Window } from "../../schema/api/platform/fields.ts";
import { quizAttempts } from "../../schema/db/assessment/quiz-attempts.ts";
import { nameOnRecord, users } from "../../schema/db/identity/users.ts";
import { momentForm } from "../../schema/db/platform/columns.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { ReadDb } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { anonymousCodeSql, nullIfAnonymousSql } from "./anonymous-grading.ts";
import { calculateAttemptGrade } from "./grade-attempt.ts";
import { iterateAttemptsWithKeys } from "./grade-closed-attempts.ts";
import { explainQuizRefusal, permittedQuizQuery, type QuizPath } from "./quizzes.ts";
import type { StoredAttempt } from "./stored-attempt.ts";

const Listed = z.object({ questions: z.array(QuizQuestion) });

/** In their current version; errors as `regradeQuiz`. */
export async function listQuizQuestions(
  db: ReadDb,
  actor: Actor,
  path: QuizPath,
  { skip, limit }: Window,
): Promise<QuizQuestion[]> {
  const [row] = await rowsOf(
    db,
    Listed,
    sql`
      select coalesce((
        select json_agg(listed order by listed.question_id) from (
          select asked.id as question_id, upper(asked.kind) as kind, asked.question_text, asked.points::float8 as points,
                 count(*)::int as attempts, out.credit as thrown_out, out.reason,
                 ${momentForm(sql`out.thrown_out_at`)} as thrown_out_at
          from quiz_attempts as one
          join quiz_attempt_questions as drawn on drawn.quiz_attempt_id = one.id
          join questions as asked on asked.id = drawn.question_id
          left join thrown_out_questions as out on out.course_offering_id = one.course_offering_id
            and out.content_item_id = one.content_item_id and out.question_id = asked.id
          where one.course_offering_id = permitted.offering_id and one.content_item_id = permitted.item_id
          group by asked.id, out.credit, out.reason, out.thrown_out_at
          order by asked.id offset ${skip} limit ${limit}
        ) as listed
      ), '[]') as questions
      from (${permittedQuizQuery(actor, "attempt:grade", path)}) as permitted`,
  );
  return row?.questions ?? explainQuizRefusal(db, actor, path);
}

const Key = z.object({
  question_id: z.int(),
  kind: QuestionKind,
  version: z.int(),
  answer: AnswerKey,
  points: z.number(),
  scoring: QuestionScoring,
});

const Keys = z.object({ keys: z.array(Key) });

const isOfQuiz = (path: QuizPath): SQL =>
  sql`quiz_attempts.course_offering_id = ${path.offering_id} and quiz_attempts.content_item_id = ${path.content_item_id}`;

/** With a question thrown out or taken back. Errors as `regradeQuiz`. */
export async function previewRegrade(
  db: ReadDb,
  actor: Actor,
  path: QuizPath,
  { question_id, thrown_out }: RegradePreviewQuery,
  now: Date,
): Promise<RegradePreview> {
  const [row] = await rowsOf(
    db,
    Keys,
    sql`
      select coalesce((
        select json_agg(json_build_object('question_id', asked.id, 'kind', upper(asked.kind), 'version', asked.version,
          'answer', asked.answer_json, 'points', asked.points::float8, 'scoring', asked.scoring))
        from questions as asked where asked.id in (
          select drawn.question_id from quiz_attempt_questions as drawn
          join quiz_attempts on quiz_attempts.id = drawn.quiz_attempt_id where ${isOfQuiz(path)})
      ), '[]') as keys
      from (${permittedQuizQuery(actor, "attempt:grade", path)}) as permitted`,
  );
  if (!row) return explainQuizRefusal(db, actor, path);
  const keys = new Map(row.keys.map((key) => [key.question_id, key]));
  const closed = sql`submitted_at is not null and user_id <> ${actor.id} and ${isOfQuiz(path)}`;
  const listed = [];
  let [attempts, changed] = [0, 0];
  for await (const attempt of iterateAttemptsWithKeys(db, now, closed)) {
    if (attempt.questions.length === 0) continue;
    attempts += 1;
    const { score, max_score, passed } = calculateAttemptGrade(
      withKeys(attempt, keys, question_id, thrown_out ?? null),
    );
    if (score === attempt.score_obtained && max_score === attempt.max_score && passed === attempt.passed)
      continue;
    changed += 1;
    if (listed.length < maxListedRegradeChanges)
      listed.push({ attempt, present: { score, max_score, passed } });
  }
  const people = await readPeople(
    db,
    listed.map(({ attempt }) => attempt.id),
  );
  return {
    attempts,
    changed,
    changes: listed.map(({ attempt, present }) => ({
      attempt_id: attempt.id,
      attempt_number: attempt.attempt_number,
      ...{ user_id: null, code: null, full_name: null, ...people.get(attempt.id) },
      former: formerOf(attempt),
      present,
    })),
  };
}

function formerOf({
  score_obtained: score,
  max_score,
  passed,
}: StoredAttempt): RegradePreview["changes"][number]["former"] {
  return score === null || max_score === null || passed === null ? null : { score, max_score, passed };
}

/** Current keys replace those of questions of the same kind, as in a regrade. */
function withKeys(
  attempt: StoredAttempt,
  keys: ReadonlyMap<number, z.output<typeof Key>>,
  changed: number | undefined,
  thrown_out: StoredAttempt["questions"][number]["thrown_out"],
): StoredAttempt {
  const questions = attempt.questions.map((question) => {
    const key = keys.get(question.question_id);
    const { answer, points, scoring } = key?.kind === question.kind ? key : question;
    const isChanged = question.question_id === changed;
    return { ...question, answer, points, scoring, thrown_out: isChanged ? thrown_out : question.thrown_out };
  });
  return { ...attempt, questions };
}

const PersonOfAttempt = z.object({
  id: z.int(),
  user_id: z.int().nullable(),
  code: z.string().nullable(),
  full_name: z.string().nullable(),
});

async function readPeople(db: ReadDb, attempts: readonly number[]) {
  const work = {
    offering: quizAttempts.course_offering_id,
    item: quizAttempts.content_item_id,
    person: quizAttempts.user_id,
  };
  if (attempts.length === 0) return new Map();
  const rows = await rowsOf(
    db,
    PersonOfAttempt,
    sql`
      select ${quizAttempts.id}, ${nullIfAnonymousSql(work, quizAttempts.user_id)} as user_id, ${anonymousCodeSql(work)} as code,
             ${nullIfAnonymousSql(work, nameOnRecord)} as full_name
      from quiz_attempts join users on ${users.id} = ${quizAttempts.user_id}
      where ${inArray(quizAttempts.id, [...attempts])}`,
  );
  return new Map(rows.map(({ id, ...person }) => [id, person]));
}
