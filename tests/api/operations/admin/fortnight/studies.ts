import { enrollments } from "../../../../../schema/db/courses/enrollments.ts";
import { userContentProgress, userModuleProgress } from "../../../../../schema/db/courses/progress.ts";
import type { EnrollmentStatus } from "../../../../../schema/enums.ts";
import { at, maybeAt } from "./calendar.ts";
import type { Stage, Topic } from "./stage.ts";

export async function study(stage: Stage): Promise<void> {
  const studied = (number: number, topic: Topic, first: string, completed?: string) => ({
    user_id: stage.id(number),
    ...stage.located(topic),
    first_started_at: at(first),
    completed_at: maybeAt(completed),
  });
  const walked = (number: number, module: keyof Stage["modules"], started: string, completed?: string) => ({
    user_id: stage.id(number),
    course_offering_id: stage.offeringOf(number),
    module_id: stage.modules[module].id,
    started_at: at(started),
    completed_at: maybeAt(completed),
  });
  await stage.db.insert(userModuleProgress).values([
    walked(2, "m1", "03-01 10:00", "03-02 10:00"),
    walked(2, "m2", "03-02 10:00", "03-06 10:00"),
    walked(3, "m1", "02-20 10:00", "03-02 10:00"), // continues
    walked(4, "m1", "02-15 10:00"), // active on 1 March, the first of the last 14 days
    walked(6, "m1", "02-20 10:00"), // inactive
    walked(7, "m1", "02-11 10:00", "02-11 11:00"),
    walked(7, "m2", "02-11 10:00", "02-12 23:59"),
    walked(8, "draft", "02-01 10:00"), // started nothing that is published
    walked(9, "n1", "03-10 08:00", "03-14 23:59"),
    walked(11, "n1", "02-01 10:00"), // inactive
  ]);

  await stage.db.insert(userContentProgress).values([
    studied(2, "s1", "03-01 10:00", "03-03 09:00"),
    studied(2, "s2", "02-25 10:00", "03-05 10:00"), // completes Signals
    studied(3, "s1", "03-01 23:50", "03-15 00:00"),
    studied(3, "s2", "03-08 12:00"),
    studied(5, "s1", "03-04 15:00", "03-04 16:00"),
    studied(7, "s1", "02-11 10:00", "02-11 11:00"),
    studied(7, "s2", "02-11 10:00", "02-12 23:59"), // completed Signals before the period
    studied(9, "l1", "03-10 08:00", "03-14 23:59"), // completes Logic
    studied(10, "l1", "03-15 09:00"),
  ]);

  const enrolled = (
    number: number,
    offering: keyof Stage["offerings"],
    status: Uppercase<EnrollmentStatus>,
    dropped?: string,
  ) => ({
    user_id: stage.id(number),
    course_offering_id: stage.offerings[offering].id,
    status,
    dropped_at: maybeAt(dropped),
  });
  await stage.db.insert(enrollments).values([
    enrolled(2, "signals", "COMPLETED"),
    enrolled(3, "signals", "ACTIVE"),
    enrolled(4, "signals", "ACTIVE"),
    enrolled(5, "signals", "ACTIVE"),
    enrolled(6, "signals", "DROPPED", "03-05 10:00"),
    enrolled(7, "signals", "COMPLETED"),
    enrolled(8, "signals", "WAITLISTED"),
    enrolled(2, "logic", "ACTIVE", "03-07 10:00"), // resumed
    enrolled(9, "logic", "ACTIVE"),
    enrolled(10, "logic", "ACTIVE"),
    enrolled(11, "logic", "DROPPED", "02-20 10:00"),
    enrolled(12, "logic", "PENDING"),
  ]);
}
