import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { seed } from "../../../scripts/seed.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

/*
 * The measure of the tutor's sources: how often the passages that are found for a question of a course's pools have one
 * of the unit in which it is asked. Five of seven is 71 %, of which Wilson's interval reaches down to 36 %: so sources are
 * offered as "perhaps", which whoever shows more than 60 % may change.
 */
it("finds the unit that a question of the demonstration is asked in, and then first, for five of seven", async () => {
  await seed(world.deps.db, { now: new Date("2026-03-10T12:00:00Z"), bcryptCost: 4 });
  const { rows } = await world.deps.db.execute(sql`
    select question.question_text, found.place_in_list
    from content_items as quiz
    join questions as question on question.question_pool_id = (quiz.data_json ->> 'question_pool_id')::int
    cross join lateral (
      select min(hit.number) as place_in_list from (
        select row_number() over (order by score desc) as number, content_item_id
        from search_passages(quiz.course_id, (select min(user_id) from user_university_roles where role = 'platform_admin'),
                             now(), question.question_text, 5)
      ) as hit join content_items as item on item.id = hit.content_item_id where item.module_id = quiz.module_id
    ) as found
    where quiz.data_json ->> 'quiz_mode' is distinct from 'exam'
    order by question.id`);
  const places = rows.map(({ place_in_list }) => (place_in_list === null ? 0 : Number(place_in_list)));
  expect(places).toEqual([0, 1, 1, 1, 0, 1, 1]);
});
