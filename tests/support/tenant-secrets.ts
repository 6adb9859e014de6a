import { type SQL, sql } from "drizzle-orm";
import { coursePrerequisites } from "../../schema/db/courses/courses.ts";
import { makersOf } from "./makers.ts";
import type { UniversityFixture } from "./university.ts";
import type { World } from "./world.ts";

/**
 * Present in every text that people of other universities must not see. Tokens could contain the short one by
 * chance.
 */
export const secret = /[Ss]ecret|SECRET|\bSCRT\b/;

type Change = [table: string, change: SQL, which: SQL];

/** A university's private rows: people, assets, templates, credentials and conversations, published or not. */
const privateRows = ({ scope, learner }: UniversityFixture): Change[] => {
  const here = sql`university_id = ${scope.university_id}`;
  // People who teach or write publicly are visible to all.
  const people = sql`id in (select user_id from user_university_roles where ${here} and role <> 'platform_admin' union
    select user_id from enrollments where ${here})`;
  return [
    ["users", sql`full_name = 'secret', email = 'secret-' || email`, people],
    ["assets", sql`url = 'https://secret.example.edu'`, here],
    [
      "module_templates",
      sql`title = 'secret', description = 'secret', default_data = '{"description": "secret"}'`,
      here,
    ],
    ["stored_credentials", sql`access_key_id_last4 = 'SCRT'`, sql`true`],
    ["chat_messages", sql`content = 'secret'`, sql`true`],
    ["cache_nodes", sql`message = 'secret', chunks = '["secret"]'`, sql`true`],
    ["chat_sessions", sql`share_token = 'secret'`, sql`user_id = ${learner.id}`],
    ["notes", sql`body = 'secret'`, sql`true`],
    ["flashcard_decks", sql`title = 'secret', description = 'secret'`, sql`true`],
    ["flashcards", sql`front = 'secret', back = 'secret'`, sql`true`],
    ["discussion_threads", sql`title = 'secret'`, sql`true`],
    ["discussion_posts", sql`body = 'secret'`, sql`true`],
    [
      "tutor_handovers",
      sql`excerpt = '[{"id": 1, "role": "user", "content": "secret", "created_at": "2026-01-01T00:00:00.000Z"}]'`,
      sql`true`,
    ],
    ["discussion_reports", sql`reason = 'secret'`, sql`true`],
    ["lab_submissions", sql`body = 'secret', instructor_feedback = 'secret'`, sql`true`],
    ["announcements", sql`title = 'secret', body = 'secret'`, sql`true`],
    ["lti_platforms", sql`name = 'secret', client_id = 'secret'`, here],
    ["lti_deployments", sql`deployment_id = 'secret-' || id`, sql`true`],
    ["lti_contexts", sql`title = 'secret', context_id = 'secret'`, here],
    ["lti_tools", sql`name = 'secret', client_id = 'secret-' || id`, here],
    ["one_roster_sources", sql`name = 'secret', client_id = 'secret'`, here],
    ["lti_people", sql`told_name = 'secret', subject = 'secret'`, sql`user_id = ${learner.id}`],
    ["lti_refused_launches", sql`last_request_id = 'secret'`, sql`true`],
    // Anyone with the address can read the dates.
    ["calendar_addresses", sql`token_hash = 'another'`, sql`true`],
  ];
};

async function write({ deps }: World, changes: Change[]): Promise<void> {
  for (const [table, change, which] of changes)
    await deps.db.execute(sql`update ${sql.identifier(table)} set ${change} where ${which}`);
}

/** A feature request: all staff can read it, but not its author. */
async function wish(world: World, { learner }: UniversityFixture): Promise<void> {
  await world.as(learner).post("/feature-requests/", { title: "Dark mode", description: "For the night" });
}

/** Unpublishes everything of the university and marks every private text as secret. */
export async function keepAllSecret(world: World, university: UniversityFixture): Promise<void> {
  const here = sql`university_id = ${university.scope.university_id}`;
  const ofCourses = sql`course_id in (select id from courses where ${here})`;
  await wish(world, university);
  await write(world, [
    ...privateRows(university),
    [
      "courses",
      sql`title = 'secret', code = 'secret-' || id, description = 'secret', is_published = false`,
      here,
    ],
    ["course_offerings", sql`term_name = 'secret'`, here],
    ["course_reviews", sql`review_text = 'secret'`, sql`true`],
    ["modules", sql`title = 'secret', description = 'secret'`, ofCourses],
    ["content_items", sql`title = 'secret', description = 'secret', data_json = '{"secret": 1}'`, ofCourses],
    ["chat_sessions", sql`content_context = '{"title": "secret"}'`, sql`true`],
  ]);
}

/**
 * Publishes the university's courses, but not what they depend on: a prerequisite, a module and an item of
 * each are private. The courses have no teachers.
 */
export async function keepPartSecret(world: World, university: UniversityFixture): Promise<void> {
  const { university_id } = university.scope;
  const make = makersOf(world);
  await wish(world, university);
  await world.deps.db.execute(sql`delete from course_offering_instructors`);
  const hidden = await make.course(university_id, {
    title: "secret",
    code: "secret",
    description: "secret",
    is_published: false,
  });
  for (const { id } of university.courses) {
    const link = { course_id: id, prerequisite_course_id: hidden.id, prerequisite_type: "STRICT" as const };
    await world.deps.db.insert(coursePrerequisites).values(link);
    const said = { title: "secret", description: "secret" };
    const draft = await make.module(id, { ...said, is_published: false });
    const below = await make.module(id, { ...said, parent_module_id: draft.id, depth: 1 });
    await make.contentItem(below, university_id, { ...said, data_json: { secret: 1 } });
    const shown = await make.module(id);
    await make.contentItem(shown, university_id, { ...said, is_active: false, data_json: { secret: 1 } });
    const lab = { env: { SECRET: "1" }, entrypoint: "secret", grading: { type: "tests", tests: ["secret"] } };
    await make.contentItem(shown, university_id, { type: "engineering_lab", data_json: lab });
    const quiz = { items: [{ question: "2 + 2?", answer: "secret", explanation: "secret" }] };
    await make.contentItem(shown, university_id, { type: "quiz", data_json: quiz });
  }
  await write(world, privateRows(university));
}
