import { expect, it } from "vitest";
import { openSession } from "../functions/session.ts";

const { rows } = openSession();

/** Tables with a row per event. */
const growing = [
  ...["activity_events", "cache_nodes", "cache_visits", "chat_messages", "chat_sessions", "course_reviews"],
  ...["discussion_posts", "flashcard_reviews", "generations", "lab_submissions", "notifications"],
  ...["quiz_attempts", "user_content_progress", "user_module_progress"],
];

/** Names of ids in columns, parameters and rows without foreign keys. */
const namesOfIds =
  "^((the_)?(session|node|generation|post|submission|notification|message)(s|_id|_ids)?|answer_id" +
  "|answering_\\w+_id|open_attempt_id|answer_post_id|cache_node_id|discussion_post_id|quiz_attempt_id|the_questions?" +
  "|the_parent|parent_post_id|object_id|in_reply_to_id|standing|up_to|(the_)?(attempt|review)_id|the_attempt|the_review)$";

it("ids of tables that grow by the event have 64 bits, and so do their foreign keys", async () => {
  const found = await rows(`
    with ids as (
      select attrelid, attnum, attname from pg_attribute
      where attname = 'id' and attrelid::regclass::text in ('${growing.join("', '")}')
    ), referring as (
      select c.conrelid as attrelid, pair.own as attnum
      from pg_constraint as c cross join lateral unnest(c.conkey, c.confkey) as pair (own, other)
      join ids on ids.attrelid = c.confrelid and ids.attnum = pair.other
      where c.contype = 'f'
    )
    select attrelid::regclass::text as "table", attname as "column"
    from (select attrelid, attnum from ids union select attrelid, attnum from referring) as one
    join pg_attribute using (attrelid, attnum)
    where atttypid <> 'bigint'::regtype`);
  expect(found).toEqual([]);
});

it("and so does each reference without a foreign key: columns, parameters and result columns, by their names", async () => {
  const columns = await rows(`
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' and data_type = 'integer' and column_name ~ '${namesOfIds}'`);
  expect(columns).toEqual([]);
  const parameters = await rows(`
    select p.oid::regprocedure::text as "function", one.name
    from pg_proc as p
    cross join lateral unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[])) as one (name, type)
    where p.pronamespace = 'public'::regnamespace and one.type in ('int'::regtype, 'int[]'::regtype)
      and one.name ~ '${namesOfIds}'
    order by 1`);
  expect(parameters).toEqual([]);
});

it("no variable or cast within a function has such an id in 32 bits", async () => {
  const found = await rows(`
    select p.proname as "function", part[1] as variable
    from pg_proc as p cross join lateral regexp_matches(p.prosrc, '\\m(\\w+) (?:integer|int)\\M', 'g') as part
    where p.pronamespace = 'public'::regnamespace and part[1] ~ '${namesOfIds}'`);
  expect(found).toEqual([]);
});

it("no two functions differ in the width of their integers alone", async () => {
  const found = await rows(`
    select proname, replace(pg_get_function_identity_arguments(oid), 'integer', 'bigint') as wide
    from pg_proc where pronamespace = 'public'::regnamespace
    group by 1, 2 having count(*) > 1`);
  expect(found).toEqual([]);
});

it("a call with narrower integers is served by the wide function, alone and in arrays", async () => {
  expect(await rows("select cache_node_ids_below(1::int)")).toEqual([]);
  expect(await rows("select questions_and_answers_of_path('{1,2}'::int[])")).toEqual([
    { questions_and_answers_of_path: [] },
  ]);
});
