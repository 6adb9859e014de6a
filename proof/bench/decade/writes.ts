import { recomputeStaleCourseProgress } from "../../../lib/courses/course-progress/recount.ts";
import { type BenchVerdict, upperLimitVerdict } from "../report.ts";
import { type DecadeEnvironment, measureRolledBackStatement } from "./environment.ts";

const posts = 100;

/** Tables that must not get a row per learner when an outline is edited. */
const ofLearners = [
  "stale_trees",
  "stale_outlines",
  "enrollment_progress",
  "course_trees",
  "user_content_progress",
  "user_module_progress",
];

/** Toggling an item in the course that everyone takes, and progress posts that update a row. */
export async function benchItemTogglesAndProgressUpdates({
  client,
  db,
  request,
}: DecadeEnvironment): Promise<BenchVerdict[]> {
  const click = "update content_items set is_active = not is_active where id = 1";
  const effect = await measureRolledBackStatement(client, click, ofLearners);
  await client.query(click);
  const began = performance.now();
  const steps = await recomputeStaleCourseProgress(db);
  console.log(
    `    Scheduled work after the click: ${steps} steps, ${Math.round(performance.now() - began)} ms`,
  );
  const { rows } = await client.query<{ user_id: number; run: number }>(
    "select user_id, course_offering_id as run from enrollments where course_offering_id = 20 order by id limit 20",
  );
  const drawn = async () =>
    Number(
      (await client.query("select last_value::float8 as last from user_content_progress_id_seq")).rows[0]
        ?.last,
    );
  const post = (at: number, percent: number) =>
    request(rows[at % rows.length]?.user_id ?? 0, "POST", "/progress/content", {
      content_item_id: 2,
      course_offering_id: rows[at % rows.length]?.run,
      progress_percent: percent,
    });
  for (let at = 0; at < rows.length; at += 1) await post(at, 10);
  const before = await drawn();
  for (let at = 0; at < posts; at += 1) await post(at, 20 + Math.floor(at / rows.length));
  return [
    upperLimitVerdict(
      "Rows that a click on an item of a course with 20 runs writes",
      effect.written,
      2,
      "rows",
    ),
    upperLimitVerdict("A click on an item of a course with 20 runs", Math.round(effect.ms), 250, "ms"),
    upperLimitVerdict(
      `Ids that ${posts} posts of progress draw which change a row`,
      (await drawn()) - before,
      0,
      "ids",
    ),
  ];
}
