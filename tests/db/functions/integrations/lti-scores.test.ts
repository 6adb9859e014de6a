import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { ltiScoreStatesQuery } from "../../../../lib/assessment/gradebook.ts";
import {
  abandonOverdueScoresQuery,
  leaseScoresQuery,
  pausePlatformQuery,
  type ScoreOutcome,
  scoreValuesQuery,
  storeScoreOutcomesQueries,
} from "../../../../lib/integrations/lti/score-rows.ts";
import type { Row } from "../../../support/database.ts";
import { textOf } from "../../../support/statement-text.ts";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();
const noon = "2026-03-10T12:00:00Z";
const moment = `'${noon}'`;

/** Item 3 is a lab of 20 points in module 2, below module 1; Ada has a seat, and an LMS knows her and Ben. */
beforeEach(async () => {
  await rows(`
    insert into content_items (module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
    select 2, 1, 1, id, 'Lab', 9, '{"max_points": 20}' from content_types where name = 'engineering_lab';
    insert into enrollments (user_id, course_offering_id) values (1, 1);
    insert into lti_platforms (university_id, name, issuer, client_id, auth_login_url, auth_token_url, jwks_url)
    values (1, 'LMS', 'https://lms.example.edu', 'c', 'https://lms.example.edu/a', 'https://lms.example.edu/t', 'https://lms.example.edu/k');
    insert into lti_deployments (platform_id, deployment_id) select id, '1' from lti_platforms;
    insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id)
    select platform_id, id, 'one', 'One', 1, 1 from lti_deployments;
    insert into lti_people (platform_id, subject, user_id, linked_by)
    select id, 'ada', 1, 'made' from lti_platforms union all select id, 'ben', 2, 'made' from lti_platforms`);
});

const lab = () => value("select id from content_items where title = 'Lab'");
const link = (set: string) =>
  rows(`
    insert into lti_links (context_id, resource_link_id, line_item_url, content_item_id, module_id)
    select id, ${set} from lti_contexts`);
const itemLink = async () => link(`'lab', 'https://lms.example.edu/1', ${await lab()}, null`);
const marks = () => value("select count(*)::int from lti_score_marks");
const unmark = () => rows("delete from lti_score_marks");
const setScore = async (score: number) =>
  rows(`
    insert into item_grades (user_id, course_offering_id, content_item_id, score_override) values (1, 1, ${await lab()}, ${score})
    on conflict (course_offering_id, content_item_id, user_id) do update set score_override = excluded.score_override`);
const fold = () => value(`select schedule_lti_scores_of_queued_changes(100, ${moment})`);
const lease = () => rows(leaseScoresQuery(10, noon));
const states = () => rows(sql`select told from (${ltiScoreStatesQuery(sql`1`, sql`array[1]`)}) as one`);

it("enqueue_lti_score_and_sync_completion, course_grades_after_write and enqueue_lti_scores_after_change mark where an LMS has a column", async () => {
  expect(await value("select exists (select from lti_columns where course_offering_id = 1)")).toBe(false);
  await setScore(5);
  await rows(`select enqueue_lti_score(1, 1, null)`);
  expect(await marks()).toBe(0);
  await itemLink();
  expect(await value("select exists (select from lti_columns where course_offering_id = 1)")).toBe(true);
  expect(await marks()).toBe(1);
  const marked = async (statement: string) => {
    await unmark();
    await rows(statement);
    return rows("select user_id, content_item_id from lti_score_marks");
  };
  const item = await lab();
  expect(await marked("update item_grades set score_override = 6")).toEqual([
    { user_id: 1, content_item_id: item },
  ]);
  expect(
    await marked(
      `insert into grade_releases (course_offering_id, content_item_id, released_at) values (1, ${item}, now())`,
    ),
  ).toEqual([{ user_id: null, content_item_id: item }]);
  expect(
    await marked("insert into course_grades (user_id, course_offering_id, final_score) values (1, 1, 50)"),
  ).toEqual([{ user_id: 1, content_item_id: null }]);
  expect(await marked("update lti_links set line_item_url = 'https://lms.example.edu/2'")).toHaveLength(1);
  expect(await marked("update lti_links set title = 'x'")).toEqual([]);
});

it("sync_lti_scores_of_person sends the grades of a newly linked person, and ends those of the former", async () => {
  await itemLink();
  await unmark();
  await rows("insert into lti_score_marks (course_offering_id, user_id) values (1, 1), (1, 2)");
  await fold();
  expect(await value("select count(*)::int from lti_scores")).toBe(2);
  await rows("update lti_people set user_id = null, linked_by = null where subject = 'ada'");
  expect(await value("select count(*)::int from lti_scores")).toBe(1);
  await rows("update lti_people set user_id = 1, linked_by = 'sign_in' where subject = 'ada'");
  expect(await rows("select user_id from lti_score_marks")).toEqual([{ user_id: 1 }]);
});

it("schedule_lti_scores_of_queued_changes makes a row for each person and column, of everyone's mark for so many people at a time", async () => {
  await itemLink();
  await link("'all', 'https://lms.example.edu/2', null, null");
  await unmark();
  await rows("insert into enrollments (user_id, course_offering_id, is_admitted) values (2, 1, true)");
  await rows("insert into lti_score_marks (course_offering_id) values (1)");
  expect(await value(`select schedule_lti_scores_of_queued_changes(1, ${moment})`)).toBe(true);
  expect(await value("select count(*)::int from lti_scores")).toBe(2);
  while (await value(`select schedule_lti_scores_of_queued_changes(1, ${moment})`));
  expect(await value("select count(*)::int from lti_scores")).toBe(4);
  await rows(
    `insert into lti_score_marks (course_offering_id, user_id, content_item_id) values (1, 1, ${await lab()}), (1, 1, null)`,
  );
  while (await fold());
  expect(await column("select marks from lti_scores order by link_id, person_id")).toEqual([3, 1, 3, 1]);
});

it("scoreValuesQuery has an item's points, a module's percent with its subtree, and the course's, of released grades", async () => {
  await itemLink();
  await link("'module', 'https://lms.example.edu/2', null, 1");
  await link("'course', 'https://lms.example.edu/3', null, null");
  await setScore(15);
  const worth = () =>
    rows(sql`
      select one.score::float8, one.maximum::float8 from lti_links as link
      cross join lateral (${scoreValuesQuery(sql`1`, sql`array[1]`)}) as one order by link.id`);
  expect((await worth()).filter(({ score }) => score !== null)).toEqual([]);
  await rows(
    `insert into grade_releases (course_offering_id, content_item_id, released_at) values (1, ${await lab()}, now())`,
  );
  expect(await worth()).toEqual([
    { score: 15, maximum: 20 },
    { score: 75, maximum: 100 },
    { score: 75, maximum: 100 },
  ]);
});

it("leaseScoresQuery gives each to one, and storeScoreOutcomesQueries keep a score due that was marked during the lease", async () => {
  await itemLink();
  await setScore(15);
  await rows(
    `insert into grade_releases (course_offering_id, content_item_id, released_at) values (1, ${await lab()}, now())`,
  );
  while (await fold());
  const [leased, ...more] = await lease();
  expect(more).toEqual([]);
  expect(leased).toMatchObject({ score: 15, subject: "ada", was_told: false, is_same: false, tries: 1 });
  expect(await lease()).toEqual([]);
  await setScore(16);
  while (await fold());
  const end = async ({ told_at, ...one }: Row, outcome: ScoreOutcome["outcome"]) => {
    const { link_id, person_id, marks: leasedMarks, score, maximum } = one;
    const ended = { link_id, person_id, marks: leasedMarks, score, maximum, leased_at: told_at, outcome };
    for (const statement of storeScoreOutcomesQueries([ended as ScoreOutcome], noon)) await rows(statement);
  };
  await end(leased ?? {}, "sent");
  const [again] = await lease();
  expect(again).toMatchObject({ score: 16, was_told: true, is_same: false });
  expect(Date.parse(String(again?.["told_at"])) - Date.parse(String(leased?.["told_at"]))).toBe(1000);
  await end(leased ?? {}, "refused");
  expect(await value("select is_refused from lti_scores")).toBe(false);
  await end(again ?? {}, "sent");
  expect(await value("select due_at from lti_scores")).toBeNull();
  expect(await states()).toMatchObject([{ told: [{ state: "SENT" }] }]);
  await rows("insert into lti_score_marks (course_offering_id, user_id, is_forced) values (1, 1, true)");
  expect(await states()).toMatchObject([{ told: [{ state: "WAITS" }] }]);
});

it("pausePlatformQuery leaves a platform alone, and givenUp ends what has waited for a week", async () => {
  await itemLink();
  while (await fold());
  await rows("insert into lti_score_marks (course_offering_id, user_id) values (1, 1), (1, 2)");
  await fold();
  const platform = Number(await value("select id from lti_platforms"));
  const pause = () => rows(textOf(pausePlatformQuery(platform, 0, "away", noon)));
  await pause();
  await pause();
  expect(await lease()).toEqual([]);
  expect(
    await rows(
      `select tries, until - ${moment}::timestamptz = interval '1 minute' as is_short from lti_service_pauses`,
    ),
  ).toEqual([{ tries: 1, is_short: true }]);
  expect(await rows(abandonOverdueScoresQuery(10, "2026-03-18T12:00:00Z"))).toHaveLength(2);
  expect(await column("select failure from lti_scores")).toEqual(["away", "away"]);
});

it("leaseScoresQuery leases again from the moment at which a pause ends", async () => {
  await itemLink();
  await rows("insert into lti_score_marks (course_offering_id, user_id) values (1, 1)");
  await fold();
  const platform = Number(await value("select id from lti_platforms"));
  await rows(textOf(pausePlatformQuery(platform, 0, "away", noon)));
  const leasedAt = async (moment: string) => (await rows(leaseScoresQuery(10, moment))).length;
  expect([await leasedAt("2026-03-10T12:00:59Z"), await leasedAt("2026-03-10T12:01:00Z")]).toEqual([0, 1]);
});
