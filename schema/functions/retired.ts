/**
 * Functions that stand in no file of this folder any more, or not with these parameters, and that the version which is
 * being replaced still calls: `npm run migrations:generate` leaves them alone until the version of package.json is
 * another than `retiredIn`, and drops them then. What no release has called has "never released", and is dropped at once.
 * One that has another name now has a `text`, in which its old name is a call of the new one.
 *
 * Signatures are spelled as PostgreSQL does: `select 'open_turn'::regproc::regprocedure`.
 */
export type Retired = { signature: string; retiredIn: string; text?: string };

export const retired: readonly Retired[] = [
  // Mail waits instead.
  { signature: "spend_account_mail(integer,jsonb)", retiredIn: "1.0.0" },
  { signature: "take_account_mail(integer,jsonb)", retiredIn: "1.0.0" },
  // It knew nothing of how far a token reaches.
  {
    signature:
      "open_turn(integer,integer,integer,text,text,text,integer,uuid,text,text,integer,text,date,timestamp with time zone)",
    retiredIn: "1.0.0",
  },
  {
    signature: "fail_generation(integer,uuid,integer,bigint,jsonb,integer)",
    retiredIn: "1.0.0",
  },
  // Months of facts are counted in the same steps.
  { signature: "next_step(timestamp with time zone,timestamp with time zone,integer)", retiredIn: "1.0.0" },
  { signature: "ask_for_password_reset(text,timestamp with time zone)", retiredIn: "1.0.0" },
  {
    signature: "mail_confirmation(text,text,integer,timestamp with time zone,text)",
    retiredIn: "1.0.0",
  },
  { signature: "mail_invitations(text,timestamp with time zone)", retiredIn: "1.0.0" },
  { signature: "send_mail(text,text,integer,timestamp with time zone)", retiredIn: "1.0.0" },
  // Each batch of an import does its part of that.
  { signature: "find_former_accounts_of(integer,bytea)", retiredIn: "1.0.0" },
  { signature: "work_import(integer,integer,jsonb)", retiredIn: "1.0.0" },
  // They knew of no files.
  {
    signature: "add_post(integer,bigint,integer,text,timestamp with time zone)",
    retiredIn: "1.0.0",
    text: `create or replace function add_post(
      the_thread integer, parent bigint, person integer, words text, moment timestamptz
    ) returns table (refusal text, post discussion_posts) language sql as $$
      select refusal, post from add_post($1, $2, $3, $4, $5, '{}')
    $$;`,
  },
  {
    signature: "edit_post(bigint,text,timestamp with time zone)",
    retiredIn: "1.0.0",
    text: `create or replace function edit_post(the_post bigint, words text, moment timestamptz)
    returns table (refusal text, post discussion_posts) language sql as $$
      select refusal, post from edit_post($1, $2, $3, null)
    $$;`,
  },
  {
    signature: "grade_submission(bigint,integer,numeric,text,text,timestamp with time zone,jsonb)",
    retiredIn: "1.0.0",
    text: `create or replace function grade_submission(
      the_submission bigint, grader integer, points numeric, feedback text, why text, moment timestamptz, request jsonb
    ) returns table (refusal text, submission lab_submissions, bound jsonb) language sql as $$
      select refusal, submission, bound from grade_submission($1, $2, $3, $4, $5, $6, $7, null)
    $$;`,
  },
  {
    signature: "return_submission(bigint,integer,text,timestamp with time zone,jsonb)",
    retiredIn: "1.0.0",
    text: `create or replace function return_submission(
      the_submission bigint, grader integer, feedback text, moment timestamptz, request jsonb
    ) returns table (refusal text, submission lab_submissions) language sql as $$
      select refusal, submission from return_submission($1, $2, $3, $4, $5, null)
    $$;`,
  },
  // They knew of no work that is graded anonymously.
  {
    signature: "grade_totals(integer,integer[],boolean)",
    retiredIn: "1.0.0",
    text: `create or replace function grade_totals(offering integer, people integer[], released_alone boolean)
    returns table (user_id integer, current_percent numeric, final_percent numeric) language sql stable as $$
      select user_id, current_percent, final_percent from grade_totals($1, $2, $3, false)
    $$;`,
  },
  // These have other names now.
  {
    signature: "append_piece(bigint,uuid,integer,jsonb)",
    retiredIn: "1.0.0",
    text: `create or replace function append_piece(
      the_generation bigint, maker uuid, first integer, the_chunks jsonb
    ) returns table (stop_requested boolean) language sql as $$
      select stop_requested from append_chunks($1, $2, $3, $4)
    $$;`,
  },
  {
    signature: "fill_places(integer,timestamp with time zone,integer)",
    retiredIn: "1.0.0",
    text: `create or replace function fill_places(offering integer, moment timestamptz, passed_over integer default null)
    returns void language sql as $$
      select fill_seats($1, $2, $3)
    $$;`,
  },
  {
    signature: "forget_audit_events(timestamp with time zone,integer)",
    retiredIn: "1.0.0",
    text: `create or replace function forget_audit_events(before timestamptz, most integer) returns integer language sql as $$
      select prune_audit_events($1, $2)
    $$;`,
  },
  {
    signature: "forget_identities(text)",
    retiredIn: "1.0.0",
    text: `create or replace function forget_identities(provider_name text) returns void language sql as $$
      select delete_identities($1)
    $$;`,
  },
  {
    signature: "forget_notifications(timestamp with time zone,integer)",
    retiredIn: "1.0.0",
    text: `create or replace function forget_notifications(before timestamptz, most integer) returns integer language sql as $$
      select prune_notifications($1, $2)
    $$;`,
  },
  {
    signature: "gate_of_item(integer,integer,timestamp with time zone,boolean)",
    retiredIn: "1.0.0",
    text: `create or replace function gate_of_item(
      item integer, person integer, moment timestamptz, as_learner boolean default false
    ) returns text language sql stable as $$
      select item_access($1, $2, $3, $4)
    $$;`,
  },
  {
    signature:
      "gate_of_module(integer,integer,timestamp with time zone,boolean,timestamp with time zone,boolean)",
    retiredIn: "1.0.0",
    text: `create or replace function gate_of_module(
      the_module integer, person integer, moment timestamptz, is_active boolean default true,
      item_available_from timestamptz default null, as_learner boolean default false
    ) returns text language sql stable as $$
      select module_access($1, $2, $3, $4, $5, $6)
    $$;`,
  },
  {
    signature: "has_place(integer,integer)",
    retiredIn: "1.0.0",
    text: `create or replace function has_place(person integer, the_course integer) returns boolean language sql stable as $$
      select has_seat($1, $2)
    $$;`,
  },
  {
    signature: "keep_course(integer)",
    retiredIn: "1.0.0",
    text: `create or replace function keep_course(offering integer) returns void language sql as $$
      select lock_course_key_shared($1)
    $$;`,
  },
  {
    signature: "lose_forgotten_calls(integer)",
    retiredIn: "1.0.0",
    text: `create or replace function lose_forgotten_calls(most integer) returns integer language sql as $$
      select expire_forgotten_calls($1)
    $$;`,
  },
  {
    signature: "maker_lease()",
    retiredIn: "1.0.0",
    text: `create or replace function maker_lease() returns interval language sql immutable as $$
      select producer_lease()
    $$;`,
  },
  {
    signature: "place_in_line(enrollments)",
    retiredIn: "1.0.0",
    text: `create or replace function place_in_line(waiting enrollments) returns integer language sql stable as $$
      select position_in_line($1)
    $$;`,
  },
  {
    signature: "refresh_trees(integer)",
    retiredIn: "1.0.0",
    text: `create or replace function refresh_trees(most integer) returns boolean language sql as $$
      select refresh_course_progress($1)
    $$;`,
  },
  // They knew of no dates but the course's.
  {
    signature: "item_due_at(integer)",
    retiredIn: "1.0.0",
    text: `create or replace function item_due_at(item integer) returns timestamptz language sql stable as $$
  with recursive way (due_at, parent_module_id, step) as (
    select coalesce(one.due_at, m.due_at), m.parent_module_id, 1
    from content_items as one join modules as m on m.id = one.module_id where one.id = item
    union all
    select above.due_at, above.parent_module_id, way.step + 1
    from way join modules as above on above.id = way.parent_module_id
    where way.due_at is null
  )
  select due_at from way order by step desc limit 1
$$;`,
  },
  {
    signature: "item_opens_at(integer)",
    retiredIn: "1.0.0",
    text: `create or replace function item_opens_at(item integer) returns timestamptz language sql stable as $$
  with recursive way (available_from, parent_module_id) as (
    select greatest(one.available_from, m.available_from), m.parent_module_id
    from content_items as one join modules as m on m.id = one.module_id where one.id = item
    union all
    select above.available_from, above.parent_module_id
    from way join modules as above on above.id = way.parent_module_id
  )
  select max(available_from) from way
$$;`,
  },
];
