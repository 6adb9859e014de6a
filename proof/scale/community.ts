import type { GeneratedTableInsert, MaxIdByTable } from "./generated-inserts.ts";
import type { ScaleSize } from "./size.ts";

/**
 * Per offering an announcement, a group of one with its own date, and an answered question; per university a
 * finished import and an LMS; per user a note and a deck with one card. A university's first offering has
 * everybody in one group.
 */
export function buildCommunityInserts(
  { universities, people, courses, modulesInFirst }: ScaleSize,
  base: MaxIdByTable,
): GeneratedTableInsert[] {
  const user = `${base.users} + n + 1`;
  const item = `${base.content_items} + n % ${courses} + 1`;
  return [
    {
      what: "announcements",
      table: "announcements",
      columns: "id, university_id, course_offering_id, title, body, published_at, told_through, told_at",
      count: courses,
      rows: `${base.announcements} + n + 1, ${base.universities} + n % ${universities} + 1,
             ${base.course_offerings} + n + 1, 'News', 'It begins', now(), 2147483647, now()`,
    },
    {
      what: "groups",
      table: "offering_groups",
      columns: "id, course_offering_id, name",
      count: courses,
      rows: `${base.offering_groups} + n + 1, ${base.course_offerings} + n + 1, 'Group'`,
    },
    {
      what: "members of groups",
      table: "offering_group_members",
      columns: "group_id, course_offering_id, user_id, group_role",
      count: courses - universities,
      rows: `${base.offering_groups} + ${universities} + n + 1, ${base.course_offerings} + ${universities} + n + 1,
             coalesce((select min(user_id) from enrollments
             where course_offering_id = ${base.course_offerings} + ${universities} + n + 1), ${base.users} + 1), 'member'`,
    },
    {
      what: "members of the first groups",
      table: "offering_group_members",
      columns: "group_id, course_offering_id, user_id, group_role",
      count: people,
      rows: `${base.offering_groups} + n % ${universities} + 1, ${base.course_offerings} + n % ${universities} + 1,
             ${user}, 'member'`,
    },
    {
      what: "more groups of the first course",
      table: "offering_groups",
      columns: "id, course_offering_id, name",
      count: modulesInFirst,
      rows: `${base.offering_groups} + ${courses} + n + 1, ${base.course_offerings} + 1, 'Group ' || n`,
    },
    {
      what: "dates of groups",
      table: "offering_group_dates",
      columns: "course_id, course_offering_id, group_id, content_item_id, due_at",
      count: courses,
      rows: `${base.courses} + n + 1, ${base.course_offerings} + n + 1, ${base.offering_groups} + n + 1,
             ${base.content_items} + n + 1, now() + interval '9 days'`,
    },
    {
      what: "dates of offerings",
      table: "offering_dates",
      columns: "course_id, course_offering_id, content_item_id, due_at",
      count: courses,
      rows: `${base.courses} + n + 1, ${base.course_offerings} + n + 1, ${base.content_items} + n + 1,
             now() + interval '8 days'`,
    },
    {
      what: "imports",
      table: "imports",
      columns: "id, university_id, format, is_dry_run, overrides, total, created_at, ended_at",
      count: universities,
      rows: `${base.imports} + n + 1, ${base.universities} + n + 1, 'csv', false, false, 0, now(), now()`,
    },
    {
      what: "platforms of LTI",
      table: "lti_platforms",
      columns: "id, university_id, name, issuer, client_id, auth_login_url, auth_token_url, jwks_url",
      count: universities,
      rows: `${base.lti_platforms} + n + 1, ${base.universities} + n + 1, 'LMS', 'https://lms.example.edu', 'learning',
             'https://lms.example.edu/auth', 'https://lms.example.edu/token', 'https://lms.example.edu/keys'`,
    },
    {
      what: "deployments of platforms",
      table: "lti_deployments",
      columns: "platform_id, deployment_id, admitted_at",
      count: universities,
      rows: `${base.lti_platforms} + n + 1, '1', now()`,
    },
    {
      what: "courses of platforms",
      table: "lti_contexts",
      columns: "platform_id, deployment_id, context_id, title, course_offering_id, university_id",
      count: universities,
      rows: `${base.lti_platforms} + n + 1, (select id from lti_deployments where platform_id = ${base.lti_platforms} + n + 1),
             '1', 'Course', (select min(id) from course_offerings where university_id = ${base.universities} + n + 1),
             ${base.universities} + n + 1`,
    },
    {
      what: "trials of prompts",
      table: "trials",
      columns: `id, course_id, prompt_name, version, against, prompt_fingerprint, against_fingerprint, kind, model,
                limit_micros, estimated_input_tokens, estimated_output_tokens, estimated_micros`,
      count: universities * 3,
      rows: `${base.trials} + n + 1, ${base.courses} + n / 3 + 1, 'tutor', 1, 1, '', '', 'step', 'model', 0, 0, 0, 0`,
    },
    {
      what: "cases of trials",
      table: "trial_cases",
      columns: "trial_id, content_item_id, node_id, visits, message, exchanges, recorded",
      count: universities * 3,
      rows: `${base.trials} + n / 3 + 1, ${base.content_items} + n / 3 + 1, 1, 1, 'Start.', '[]', 'Hello.'`,
    },
    {
      what: "rollouts of prompts",
      table: "prompt_rollouts",
      columns: `id, prompt_name, candidate_version, base_version, share, unit, stop, state, stop_reason, created_at, ended_at`,
      count: 50,
      rows: `${base.prompt_rollouts} + n + 1, 'tutor', n + 2, n + 1, 10, 'offering', '{"malformed": 0.02, "refusals": 0.02,
             "cut_offs": 0.02, "length": 1.5, "downs": 0.02, "cost": 1.5, "first_word": 1.5}', 'stopped', 'by_hand', now(), now()`,
    },
    {
      what: "votes on cases",
      table: "trial_votes",
      columns: "case_id, user_id, vote",
      count: universities * 3,
      rows: `${base.trial_cases} + n + 1, ${base.users} + 1, 'tie'`,
    },
    {
      what: "warmings",
      table: "warmings",
      columns: `content_item_id, prompt_id, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint,
                most_nodes, state, ended_at`,
      count: courses,
      rows: `${base.content_items} + n + 1, (select min(id) from prompts), 'tutor', 1, 'model', '', '', 1, 'done', now()`,
    },
    {
      what: "threads",
      table: "discussion_threads",
      columns: "id, course_offering_id, created_by_user_id, title, post_count",
      count: courses,
      rows: `${base.discussion_threads} + n + 1, ${base.course_offerings} + n + 1,
             ${base.users} + n % ${people} + 1, 'A question', 2`,
    },
    {
      what: "posts",
      table: "discussion_posts",
      columns: "thread_id, user_id, body",
      count: courses * 2,
      rows: `${base.discussion_threads} + n / 2 + 1, ${base.users} + n % ${people} + 1, 'A thought'`,
    },
    {
      what: "notes",
      table: "notes",
      columns: "id, user_id, content_item_id, body",
      count: people,
      rows: `${base.notes} + n + 1, ${user}, ${item}, 'A note ' || n`,
    },
    {
      what: "decks",
      table: "flashcard_decks",
      columns: "id, user_id, title",
      count: people,
      rows: `${base.flashcard_decks} + n + 1, ${user}, 'A deck'`,
    },
    {
      what: "flashcards",
      table: "flashcards",
      columns: "id, user_id, deck_id, content_item_id, front, back",
      count: people,
      rows: `${base.flashcards} + n + 1, ${user}, ${base.flashcard_decks} + n + 1, ${item}, 'What?', 'That'`,
    },
  ];
}
