import { certificates } from "../../../../../schema/db/assessment/certificates.ts";
import { labSubmissions } from "../../../../../schema/db/assessment/lab-submissions.ts";
import { quizAttempts } from "../../../../../schema/db/assessment/quiz-attempts.ts";
import { at, maybeAt } from "./calendar.ts";
import type { Stage, Topic } from "./stage.ts";

type Score = { score: number; of: number; passed?: boolean };

export async function sitExams(stage: Stage): Promise<void> {
  const attempt = (number: number, topic: Topic, submitted?: string, result?: Score) => ({
    user_id: stage.id(number),
    ...stage.located(topic),
    submitted_at: maybeAt(submitted),
    score_obtained: result?.score ?? null,
    max_score: result?.of ?? null,
    passed: result?.passed ?? null,
  });
  await stage.db.insert(quizAttempts).values([
    attempt(2, "s1", "03-03 10:00", { score: 8, of: 10, passed: true }),
    attempt(3, "s1", "03-08 10:00", { score: 3, of: 10, passed: false }),
    attempt(4, "s1", "02-28 23:59", { score: 10, of: 10, passed: true }), // before the period
    attempt(5, "s1", "03-04 10:00"), // not graded yet
    attempt(9, "l1", "03-10 10:00", { score: 5, of: 5, passed: true }),
    attempt(10, "l1"), // not submitted yet
  ]);

  const certificate = (number: number, topic: Topic, issued: string, more: object = {}) => ({
    ...{ user_id: stage.id(number), course_offering_id: stage.located(topic).course_offering_id },
    ...{ certificate_code: `certificate-${number}-${topic}`, issued_at: at(issued) },
    ...{ printed_name: "Name", course_title: "Course", university_name: "University", ...more },
  });
  await stage.db.insert(certificates).values([
    certificate(2, "s1", "03-03 10:01"),
    certificate(3, "s1", "03-14 23:59", { revoked_at: at("03-14 23:59"), revocation_reason: "Copied" }),
    certificate(4, "s1", "02-28 23:59"), // before the period
    certificate(9, "l1", "02-20 10:00", { revoked_at: at("03-15 00:00"), revocation_reason: "Copied" }), // issued before, revoked after
  ]);

  const lab = (number: number, topic: Topic, submitted: string, result?: Score) => ({
    user_id: stage.id(number),
    ...stage.located(topic),
    submitted_at: at(submitted),
    status: result ? ("graded" as const) : ("submitted" as const),
    score_obtained: result?.score ?? null,
    max_score: result?.of ?? null,
  });
  await stage.db.insert(labSubmissions).values([
    lab(2, "s1", "03-04 10:00", { score: 15, of: 20 }),
    lab(3, "s1", "03-05 10:00"),
    lab(9, "l1", "03-14 23:59", { score: 10, of: 20 }),
    lab(10, "l1", "03-15 00:00", { score: 20, of: 20 }), // after the period
  ]);
  // Skips triggers: submissions are for a lab in one course and an assignment in the other, which reports
  // ignore.
  await stage.db.execute(`
    set session_replication_role = replica;
    update content_items set content_type_id = (select id from content_types where name = 'engineering_lab')
      where id = ${stage.located("s1").content_item_id};
    update content_items set content_type_id = (select id from content_types where name = 'assignment')
      where id = ${stage.located("l1").content_item_id};
    set session_replication_role = origin;`);
}
