import { sql } from "drizzle-orm";
import { makersOf } from "../../../support/makers.ts";
import type { Values } from "../../../support/operations.ts";
import { sendFile } from "../../../support/send-file.ts";
import type { UniversityFixture } from "../../../support/university.ts";
import type { World } from "../../../support/world.ts";
import { openSession } from "../chat/support.ts";

/** Marks each hidden text with its kind, which a leak then names. */
const kinds = [
  "misconception",
  "skill",
  "own-misconception",
  "own-skill",
  "item-notes",
  "item-fact",
  "item-error",
  "item-never-say",
  "course-notes",
  "course-fact",
  "course-error",
  "course-never-say",
  "item-line",
  "course-line",
  "pool-key",
  "pool-explanation",
  "hidden-file",
  "staff-data",
] as const;
type Kind = (typeof kinds)[number];

export const canary = (kind: Kind): string => `canary-of-${kind}`;

export const anyCanary = /canary-of-[a-z-]+/;

export const canariesIn = (text: string): string[] => [
  ...new Set(text.match(new RegExp(anyCanary, "g")) ?? []),
];

const options = ["A", "B"].map((id) => ({ id, text: `Option ${id}` }));
const mcq = `\`\`\`mcq\n${JSON.stringify({ questionId: "q1", question: "Which?", options })}\n\`\`\``;

export const answerWithKey = (misconception: Kind, skill: Kind): string =>
  `Think.\n${mcq}\n\`\`\`key\n${JSON.stringify({
    answer: "A",
    misconceptions: [{ id: "B", text: canary(misconception) }],
    skill: canary(skill),
  })}\n\`\`\`\n`;

const notesOf = (of: "item" | "course") => ({
  notes: canary(`${of}-notes`),
  key_facts: [canary(`${of}-fact`)],
  common_errors: [canary(`${of}-error`)],
  never_say: [canary(`${of}-never-say`)],
});

export type Planted = Awaited<ReturnType<typeof plantCanaries>>;

/**
 * A topic and a quiz with a canary in everything that only staff or the tutor may read. Their learner has
 * talked with both tutors and used every action on the conversations.
 */
export async function plantCanaries(world: World, { scope, courses, paths }: UniversityFixture) {
  const make = makersOf(world);
  const admin = world.as(await make.holder("platform_admin", scope.university_id));
  const course = { id: courses[0]?.id ?? 0, university_id: scope.university_id };
  const offering_id = Number(paths["offering_id"]);
  const module = { id: Number(paths["module_id"]), course_id: course.id };

  const topic = await make.contentItem(module, scope.university_id, {
    tutor_line: canary("item-line"),
    data_json: {
      blocks: [
        {
          type: "paragraph",
          text: "Standing waves have nodes where nothing ever moves, and bellies between them.",
        },
      ],
      model_solution: canary("staff-data"),
    },
  });
  await admin.put(`/content/${topic.id}/tutor-notes`, notesOf("item"));
  await admin.put(`/courses/${course.id}/tutor-notes`, notesOf("course"));
  await admin.put(`/courses/${course.id}`, { tutor_line: canary("course-line") });
  const { pool } = await make.questionPool(course, [
    {
      kind: "SHORT_ANSWER",
      question_text: "What stands still?",
      answer_json: { texts: [canary("pool-key")] },
      explanation: canary("pool-explanation"),
    },
  ]);
  const quiz = await make.contentItem(module, scope.university_id, {
    type: "quiz",
    data_json: { question_pool_id: pool.id, show_answers: "never", mastery: { max_attempts: 100 } },
  });
  const lab = await labWithHiddenFile(world, module, scope.university_id, course.id);

  const person = await make.person({ email_verified_at: "2026-01-01T00:00:00Z" });
  await make.enrollment(person.id, offering_id);
  const learner = world.as(person);
  const session = await openSession(learner, topic.id);
  world.llm.script(
    { chunks: [answerWithKey("misconception", "skill")] },
    { chunks: [answerWithKey("own-misconception", "own-skill"), "It adds up [§1]."] },
  );
  await session.say("Start.");
  await session.say("Why do standing waves have nodes?");
  await (await openSession(learner, quiz.id)).say("Start.");
  const { messages, cache_node_id } = await session.read();
  const [, shared, , own] = messages.map(({ id }: { id: number }) => id);
  const handovers = [];
  for (const visible of ["STAFF", "CLASS"])
    handovers.push(
      await learner.post(`/chat/sessions/${session.id}/handover`, {
        ...{ message_ids: [shared, own], question: "Why?", visible },
      }),
    );
  const aside = await learner.post("/chat/sessions", { content_item_id: topic.id, aside_of: session.id });
  const share = await learner.post(`/chat/sessions/${session.id}/share`);
  const deck = await learner.post("/study/decks", { title: "Waves" });
  const deck_id: number = deck.body.id;
  const card = await learner.post("/study/flashcards/from-answer", { message_id: shared, deck_id });
  const at = `/assessments/offerings/${offering_id}/quizzes/${quiz.id}/attempts`;
  const attempt = await learner.post(at, {});
  await learner.post(`/assessments/attempts/${attempt.body.id}/submit`);
  // As in a generation before it becomes a node.
  await world.deps.db.execute(sql`
    update generations set question_key = ${JSON.stringify({ answer: "A", misconceptions: [], skill: canary("skill") })}::jsonb
    where question is not null`);
  const ids: Values = {
    user_id: person.id,
    session_id: session.id,
    message_id: own,
    message_ids: [shared, own],
    share_token: share.body.share_token,
    node_id: cache_node_id,
    thread_id: handovers[1]?.body.thread_id,
    flashcard_id: card.body.id,
    deck_id,
    attempt_id: attempt.body.id,
    content_id: topic.id,
    content_item_id: topic.id,
    aside_of: null,
  };
  return {
    person,
    ids,
    topic,
    quiz,
    lab,
    aside: aside.body.id as number,
    staffThread: handovers[0]?.body.thread_id,
  };
}

async function labWithHiddenFile(
  world: World,
  module: { id: number; course_id: number },
  university_id: number,
  course_id: number,
) {
  const make = makersOf(world);
  const admin = world.as(await make.holder("platform_admin", university_id));
  const sent = await sendFile(world.deps, admin, { purpose: "ASSET", course_id });
  const lab = await make.contentItem(module, university_id, {
    type: "engineering_lab",
    data_json: { env: { HIDDEN: canary("hidden-file") } },
  });
  await admin.put(`/content/${lab.id}`, {
    data_json: {
      env: { HIDDEN: canary("hidden-file") },
      files: [{ file_id: sent.body.id, path: `${canary("hidden-file")}.py`, role: "hidden" }],
    },
  });
  await world.deps.db.execute(sql`
    insert into file_texts (object_id, content, characters)
    select object_id, ${canary("hidden-file")}, 21 from files where id = ${sent.body.id}
    on conflict (object_id) do update set content = excluded.content, characters = excluded.characters`);
  return { id: lab.id, file_id: sent.body.id as number };
}
