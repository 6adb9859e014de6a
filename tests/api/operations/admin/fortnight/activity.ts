import { activityEvents } from "../../../../../schema/db/courses/activity.ts";
import { at } from "./calendar.ts";
import type { Stage, Topic } from "./stage.ts";

/** All activity, with the time since the previous activity on the topic. */
export async function act(stage: Stage): Promise<void> {
  const event = (number: number, verb: string, moment: string, topic?: Topic) => ({
    user_id: stage.id(number),
    university_id: stage.universityOf(number),
    verb,
    object_type: topic ? "content_item" : "module",
    object_id: 1,
    content_item_id: topic ? stage.topics[topic].id : null,
    // Like a question to the tutor.
    course_offering_id: verb === "asked" ? null : stage.offeringOf(number),
    occurred_at: at(moment),
  });
  await stage.db.insert(activityEvents).values([
    event(2, "progressed", "03-01 10:00", "s1"),
    event(2, "progressed", "03-01 10:10", "s1"), // 10 minutes
    event(2, "progressed", "03-01 10:35", "s1"),
    event(2, "progressed", "03-01 11:10", "s1"), // a pause of 35 minutes
    event(2, "asked", "03-03 09:00", "s1"),
    event(2, "asked", "03-03 09:05", "s1"), // 5 minutes
    event(3, "progressed", "03-01 23:50", "s1"),
    event(3, "progressed", "03-02 00:05", "s1"), // 15 minutes, over midnight
    event(3, "asked", "03-08 12:00", "s2"),
    event(4, "progressed", "02-28 23:50", "s1"), // before the period
    event(4, "progressed", "03-01 00:10", "s1"), // 20 minutes; the end counts
    event(5, "completed", "03-04 15:00"),
    event(6, "progressed", "02-20 10:00", "s1"), // before the period, but in the 30 days
    event(7, "completed", "02-12 23:59", "s2"), // a minute before the 30 days
    event(8, "progressed", "03-15 00:00", "s1"), // after the period
    event(9, "progressed", "03-10 08:00", "l1"),
    event(9, "progressed", "03-10 08:20", "l1"), // 20 minutes
    event(9, "asked", "03-14 23:50", "l2"),
    event(9, "asked", "03-15 00:10", "l2"), // after the period
    event(10, "asked", "03-12 10:00", "l1"),
    event(10, "asked", "03-12 10:01", "l1"),
    event(10, "asked", "03-12 10:03", "l1"), // 2 minutes
  ]);
}
