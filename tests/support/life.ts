import { sql } from "drizzle-orm";
import { makersOf } from "./makers.ts";
import type { World } from "./world.ts";

/** A person with a row in every table that can hold personal data, each with text of theirs. */
export async function liveALife(world: World, words: string) {
  const make = makersOf(world);
  const { db } = world.deps;
  const password = "correct horse";
  const email = `${make.unique("leaving")}@example.edu`;
  const { offering, item, course, module, university } = await make.topic();
  const subject = await world
    .as(await make.holder("platform_admin", university.id))
    .post("/subjects/", { code: make.unique("S"), name: "Subject" });
  const made = await world.as().post("/auth/register-with-onboarding", {
    email,
    password,
    full_name: `Name ${words}`,
    profile: { date_of_birth: "2000-02-29", learning_goal: `Goal ${words}`, study_level: "s", grade: "g" },
    subject_preferences: [subject.body.id],
  });
  const headers = { authorization: `Bearer ${made.body.access_token}` };
  const me = (await world.as().get("/users/me", { headers })).body as { id: number };
  const as = (method: string, path: string, body?: unknown) =>
    world.as().request(method, path, body, { headers });

  await as("POST", "/enrollments/", { course_offering_id: offering.id });
  await as("POST", "/progress/content", {
    content_item_id: item.id,
    course_offering_id: offering.id,
    progress_percent: 60,
  });
  await as("POST", "/progress/module", {
    module_id: module.id,
    course_offering_id: offering.id,
    progress_percent: 100,
  });
  await as("POST", "/feature-requests/", { title: `Title ${words}`, description: `Wish ${words}` });

  const session = (await as("POST", "/chat/sessions", { content_item_id: item.id })).body.id as number;
  await as("POST", `/chat/sessions/${session}/greeting`);
  // A data answer to a question that the tutor did not ask creates a node with this text.
  const ownNode = JSON.stringify({ questionId: "q1", answer: `Node ${words}` });
  await as("POST", `/chat/sessions/${session}/messages`, { content: ownNode });
  await as("POST", `/chat/sessions/${session}/messages`, { content: `Said ${words}` });
  const conversation = await as("GET", `/chat/sessions/${session}`);
  const answer = conversation.body.messages.find(({ role }: { role: string }) => role === "assistant").id;
  const message_ids = conversation.body.messages.map(({ id }: { id: number }) => id);
  const question = `Asked ${words}`;
  await as("POST", `/chat/sessions/${session}/handover`, { message_ids, question, visible: "STAFF" });
  await as("PUT", `/chat/messages/${answer}/feedback`, { rating: "up", comment: `Comment ${words}` });

  const at = [me.id, offering.id] as const;
  for (const statement of [
    sql`insert into notes (user_id, content_item_id, body) values (${me.id}, ${item.id}, ${`Note ${words}`})`,
    sql`with deck as (
      insert into flashcard_decks (user_id, title, description)
      values (${me.id}, ${`Deck ${words}`}, ${`Pile ${words}`}) returning id), card as (
      insert into flashcards (user_id, front, back, due, deck_id)
      select ${me.id}, ${`Front ${words}`}, ${`Back ${words}`}, now(), id from deck returning id)
      insert into flashcard_reviews (flashcard_id, rating, reviewed_at) select id, 'good', now() from card`,
    sql`with thread as (
      insert into discussion_threads (course_offering_id, created_by_user_id, title)
      values (${offering.id}, ${me.id}, ${`Thread ${words}`}) returning id), post as (
      insert into discussion_posts (thread_id, user_id, body) select id, ${me.id}, ${`Post ${words}`} from thread
      returning id)
      insert into discussion_reports (post_id, course_offering_id, user_id, reason)
      select id, ${offering.id}, ${me.id}, ${`Reason ${words}`} from post`,
    sql`insert into course_reviews (user_id, course_offering_id, rating, review_text)
        values (${at[0]}, ${at[1]}, 4, ${`Review ${words}`})`,
    sql`with said as (
      insert into announcements (university_id, course_offering_id, title, body, created_by_user_id, published_at)
      values (${university.id}, ${offering.id}, 'News', 'The lab moves', ${me.id}, now()) returning id)
      insert into announcement_reads (announcement_id, user_id, read_at) select id, ${me.id}, now() from said`,
    sql`select notify(array[${me.id}::int], 'grade_released', 'grade:1', now(), offering => ${offering.id})`,
    sql`insert into notification_preferences (user_id, kind, in_app, mail) values (${me.id}, 'due_soon', true, 'off')`,
    sql`insert into calendar_addresses (user_id, token_hash, created_at) values (${me.id}, ${make.unique("hash")}, now())`,
    sql`insert into course_grades (user_id, course_offering_id, letter_grade) values (${at[0]}, ${at[1]}, 'A')`,
    sql`insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title,
          university_name, issued_at, metadata_json)
        values (${at[0]}, ${at[1]}, ${make.unique("code")}, ${`Name ${words}`}, 'Course', 'University', now(),
          ${JSON.stringify({ remark: `Remark ${words}` })})`,
    sql`insert into lab_submissions (user_id, course_offering_id, content_item_id, artifacts_url, score_obtained, max_score)
        values (${at[0]}, ${at[1]}, ${item.id}, ${`https://x.example/${encodeURIComponent(words)}`}, 1, 2)`,
    sql`insert into grade_releases (course_offering_id, content_item_id, released_at) values (${at[1]}, ${item.id}, now())`,
    sql`insert into item_grades (user_id, course_offering_id, content_item_id, score_override)
        values (${at[0]}, ${at[1]}, ${item.id}, 5)`,
    sql`insert into grade_changes (kind, user_id, course_offering_id, content_item_id, changed_at, reason)
        values ('item_set', ${at[0]}, ${at[1]}, ${item.id}, now(), ${`Excused ${words}`})`,
    sql`insert into quiz_attempts (user_id, course_offering_id, content_item_id, submitted_at, passed, raw_response_json)
        values (${at[0]}, ${at[1]}, ${item.id}, now(), true, ${JSON.stringify({ text: `Quiz ${words}` })})`,
    sql`with required as (
      insert into courses (university_id, title, code) values (${university.id}, 'Required', ${make.unique("R")}) returning id
    ), link as (
      insert into course_prerequisites (course_id, prerequisite_course_id, prerequisite_type)
      select ${course.id}::int, id, 'recommended' from required returning *)
      insert into course_exemptions (course_id, prerequisite_course_id, user_id)
      select course_id, prerequisite_course_id, ${me.id}::int from link`,
    sql`insert into invitations (university_id, email, role, created_at, expires_at, token_hash)
        values (${university.id}, ${email}, 'student', now(), now(), ${make.unique("hash")})`,
    sql`insert into sourced_people (university_id, sourced_id, user_id)
        values (${university.id}, ${`Source ${words}`}, ${me.id})`,
    sql`with started as (
      insert into imports (university_id, created_by_user_id, format, is_dry_run, overrides, total, created_at, ended_at)
      values (${university.id}, ${me.id}, 'csv', true, false, 1, now(), now()) returning id)
      insert into import_rows (import_id, kind, file, line, email, is_deletion, details)
      select id, 'person', 'people.csv', 2, ${email}, false, jsonb_build_object('full_name', ${`Import ${words}`}::text)
      from started`,
    sql`insert into cartridge_imports (university_id, course_id, created_by_user_id, is_dry_run, title, created_at, ended_at)
        values (${university.id}, ${course.id}, ${me.id}, true, ${`Cartridge ${words}`}, now(), now())`,
    sql`insert into user_identities (user_id, provider, subject) values (${me.id}, 'campus', ${`sub ${words}`})`,
    sql`insert into course_offering_instructors (course_offering_id, user_id) values (${offering.id}, ${me.id})`,
  ])
    await db.execute(statement);
  await world.as().post("/auth/login", { email, password: "wrong" });
  return { id: me.id, email, password, headers, as, session, offering, course, item, university };
}
