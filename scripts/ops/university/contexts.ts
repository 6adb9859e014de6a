import type pg from "pg";
import { type ContentContext, formerFingerprint } from "../../../lib/chat/content-context.ts";
import { studentView } from "../../../lib/content/student-view.ts";

/** What a fingerprint was made of: stored answers are found by it, and it has ids in it. */
export type KnownContext = { fingerprint: string; context: ContentContext };

const itemsAtOnce = 200;

/**
 * For each content item behind an id the snapshot that a conversation would begin with now, and those that conversations
 * have begun with.
 */
export async function* contentContexts(
  client: pg.Client,
  university: number,
  behind: number,
): AsyncGenerator<{ lines: string[]; doneTo: number }> {
  for (let last = behind; ; ) {
    const { rows } = await client.query<{ id: number; now: ContentContext; before: KnownContext[] }>(
      snapshots,
      [university, last, itemsAtOnce],
    );
    last = rows.at(-1)?.id ?? last;
    const lines = rows.flatMap(({ now, before }) => {
      const context = { ...now, data_json: studentView(now.content_type, now.data_json) };
      const known = new Map(before.map((one) => [one.fingerprint, one]));
      const fingerprint = formerFingerprint(context);
      return [...known.set(fingerprint, { fingerprint, context }).values()].map((one) => JSON.stringify(one));
    });
    yield { lines, doneTo: last };
    if (rows.length < itemsAtOnce) return;
  }
}

const snapshots = `
  select content_items.id, json_build_object(
    'content_item_id', content_items.id, 'module_id', content_items.module_id, 'course_id', content_items.course_id,
    'university_id', content_items.university_id, 'title', content_items.title,
    'description', content_items.description, 'content_type', content_types.name, 'data_json', data_json,
    'module_title', modules.title, 'course_title', courses.title, 'course_code', courses.code,
    'language', courses.language_code, 'tutor', tutor_context_of(content_items.id)) as now,
    coalesce((
      select json_agg(json_build_object('fingerprint', said.content_fingerprint, 'context', said.context))
      from (
        select distinct on (content_fingerprint) content_fingerprint,
               content_context || case when tutor_context is null then '{}'
                                       else jsonb_build_object('tutor', tutor_context) end as context
        from chat_sessions
        where content_item_id = content_items.id order by content_fingerprint) as said), '[]') as before
  from content_items
  join content_types on content_types.id = content_type_id
  join modules on modules.id = module_id
  join courses on courses.id = content_items.course_id
  where content_items.university_id = $1 and content_items.id > $2
  order by content_items.id limit $3`;
