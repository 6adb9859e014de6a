import { beforeAll, describe, expect, it } from "vitest";
import { openWorld } from "../../../support/world.ts";
import { type Fortnight, playFortnight, theDayAfter } from "./fortnight/play.ts";
import { readTotals, recountTotals } from "./totals.ts";

const ofPeriod = ["overview", "engagement", "progress", "assessments"];

describe("a fortnight of 12 people in two universities", () => {
  const world = openWorld();
  const fortnight = { date_from: "2026-03-01", date_to: "2026-03-14" };
  let played: Fortnight;

  beforeAll(async () => {
    world.setNow(theDayAfter);
    played = await playFortnight(world);
  });

  async function report(path: string, query: Record<string, string> = fortnight) {
    const answer = await played.administrator.get(`/admin/analytics/${path}?${new URLSearchParams(query)}`);
    expect(answer.status).toBe(200);
    return answer.body;
  }

  const series = (counts: Record<string, number>) =>
    Array.from({ length: 14 }, (_, index) => {
      const date = `2026-03-${String(index + 1).padStart(2, "0")}`;
      return { date, count: counts[date.slice(5)] ?? 0 };
    });

  it("is reported as new and active people", async () => {
    expect(await report("overview")).toEqual({
      ...fortnight,
      total_registered_users: 12,
      daily_new_signups: series({ "03-02": 3, "03-05": 1, "03-14": 1 }),
      daily_active_users: series({
        "03-01": 3,
        "03-02": 1,
        "03-03": 1,
        "03-04": 1,
        "03-08": 1,
        "03-10": 1,
        "03-12": 1,
        "03-14": 1,
      }),
      weekly_active_users: 3,
      monthly_active_users: 7,
      streak_distribution: [
        { bucket: "0", users: 6 },
        { bucket: "1", users: 1 },
        { bucket: "2-6", users: 2 },
        { bucket: "7-13", users: 0 },
        { bucket: "14-29", users: 1 },
        { bucket: "30-99", users: 1 },
        { bucket: "100+", users: 1 },
      ],
    });
  });

  it("is reported by activity, in total and in one course", async () => {
    expect(await report("engagement")).toEqual({
      ...fortnight,
      average_time_per_topic_seconds: 840,
      average_chat_turns_per_topic_per_user: 1.75,
      average_session_duration_seconds: 435,
      content_started_count: 5,
      content_completed_count: 4,
      completion_rate: 0.6,
    });
    expect(await report("engagement", { ...fortnight, course_id: `${played.signals.id}` })).toEqual({
      ...fortnight,
      average_time_per_topic_seconds: 1125,
      average_chat_turns_per_topic_per_user: 1.5,
      average_session_duration_seconds: 180,
      content_started_count: 4,
      content_completed_count: 3,
      completion_rate: 0.5,
    });
  });

  it("is reported by how far people got, in all and by course", async () => {
    const ofSignals = {
      average_mastered_topics_per_user: 0.75,
      course_tree_completion_count: 1,
      course_tree_interruption_count: 1,
      total_enrollments: 7,
      enrollment_counts_by_status: { ACTIVE: 3, COMPLETED: 2, DROPPED: 1, PENDING: 0, WAITLISTED: 1 },
      drop_off_count: 1,
    };
    const ofLogic = {
      average_mastered_topics_per_user: 0.5,
      course_tree_completion_count: 1,
      course_tree_interruption_count: 1,
      total_enrollments: 5,
      enrollment_counts_by_status: { ACTIVE: 3, COMPLETED: 0, DROPPED: 1, PENDING: 1, WAITLISTED: 0 },
      drop_off_count: 1,
    };
    const { id: course_id, code, title } = played.signals;
    const breakdown = [
      { course_id, code, title, ...ofSignals },
      { course_id: played.logic.id, code: played.logic.code, title: played.logic.title, ...ofLogic },
    ];
    expect(await report("progress")).toEqual({
      ...fortnight,
      average_mastered_topics_per_user: 4 / 6,
      course_tree_completion_count: 2,
      course_tree_interruption_count: 2,
      total_enrollments: 12,
      enrollment_counts_by_status: { ACTIVE: 6, COMPLETED: 2, DROPPED: 2, PENDING: 1, WAITLISTED: 1 },
      drop_off_count: 2,
      per_course_breakdown: breakdown,
    });
    expect(await report("progress", { ...fortnight, course_id: `${course_id}` })).toEqual({
      ...fortnight,
      ...ofSignals,
      per_course_breakdown: breakdown.slice(0, 1),
    });
  });

  it("is reported by a window of the courses, under the figures of all", async () => {
    const whole = await report("progress");
    const second = await report("progress", { ...fortnight, skip: "1", limit: "1" });
    expect(second).toEqual({ ...whole, per_course_breakdown: whole.per_course_breakdown.slice(1) });
    const beyond = await report("progress", { ...fortnight, skip: "2" });
    expect(beyond).toEqual({ ...whole, per_course_breakdown: [] });
  });

  it("is reported by results, in all and by course", async () => {
    expect(await report("assessments", { ...fortnight, course_id: `${played.signals.id}` })).toEqual({
      ...fortnight,
      quiz_attempt_count: 3,
      quiz_pass_count: 1,
      quiz_fail_count: 1,
      quiz_pass_rate: 1 / 2,
      quiz_fail_rate: 1 / 2,
      average_quiz_score: 0.55,
      lab_submission_count: 2,
      lab_graded_count: 1,
      average_lab_score: 0.75,
      assignment_submission_count: 0,
      assignment_graded_count: 0,
      average_assignment_score: null,
      certificate_issue_count: 2,
      certificate_revocation_count: 1,
    });
    expect(await report("assessments")).toEqual({
      ...fortnight,
      quiz_attempt_count: 4,
      quiz_pass_count: 2,
      quiz_fail_count: 1,
      quiz_pass_rate: 2 / 3,
      quiz_fail_rate: 1 / 3,
      average_quiz_score: 0.7,
      lab_submission_count: 2,
      lab_graded_count: 1,
      average_lab_score: 0.75,
      assignment_submission_count: 1,
      assignment_graded_count: 1,
      average_assignment_score: 0.5,
      certificate_issue_count: 2,
      certificate_revocation_count: 1,
    });
  });

  it("is reported by the tree's savings, with the days before and after", async () => {
    expect(await report("cache", {})).toEqual({
      cache_hit_count: 3,
      cache_miss_count: 2,
      hit_rate: 0.6,
      cache_hit_rate: 0.6,
      session_divergence_rate: 0.4,
      total_cached_nodes: 2,
      total_hits_served: 3,
    });
  });

  it("is reported by created content and messages", async () => {
    expect(await report("community", {})).toEqual({
      total_notes: 3,
      total_flashcards: 2,
      total_flashcard_reviews: 4,
      total_discussion_threads: 2,
      total_discussion_posts: 3,
      average_course_rating: 4,
      total_reviews: 3,
    });
  });

  it("has the same figures as CSV, a line for each", async () => {
    const csv = async (path: string, query: Record<string, string> = fortnight) => {
      const answer = await played.administrator.get(
        `/admin/analytics/${path}?${new URLSearchParams({ ...query, format: "csv" })}`,
      );
      expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${path}.csv"`);
      return answer.text;
    };
    const [overview, progress] = [await csv("overview"), await csv("progress")];
    expect(overview).toMatch(/^figure,of,value\r\ndate_from,,2026-03-01\r\n/);
    expect(overview).toContain("\r\ndaily_active_users,2026-03-01,3\r\n");
    expect(overview).toContain("\r\nstreak_distribution,2-6,2\r\n");
    const { signals, logic } = played;
    expect(progress).toContain("\r\nenrollment_counts_by_status.ACTIVE,,6\r\n");
    expect(progress).toContain(`\r\nper_course_breakdown.drop_off_count,${signals.id},1\r\n`);
    expect(progress).toContain(`\r\nper_course_breakdown.title,${signals.id},"Signals, and systems"\r\n`);
    expect(progress).toContain(`\r\nper_course_breakdown.title,${logic.id},"Logic ""and"" proof"\r\n`);
    expect(progress, "no text of a user's begins a formula").toContain(`,${logic.id},'=LOG\r\n`);
  });

  it("has the same totals after a recount", async () => {
    const kept = await readTotals(world.deps.db);
    expect(await recountTotals(world.deps.db)).toEqual(kept);
  });

  it("is the default when it is the 30 days that end today", async () => {
    expect(await report("overview", {})).toMatchObject({ date_from: "2026-02-14", date_to: "2026-03-15" });
    const { date_from } = await report("overview", { date_to: "2026-03-01" });
    expect(date_from).toBe("2026-01-31");
  });

  it.each([
    ["date_from after date_to", "date_from=2026-03-02&date_to=2026-03-01", "date_from"],
    ["a date that is none", "date_from=2026-02-30", "date_from"],
    ["a date out of reach", "date_to=0001-01-01", "date_to"],
    ["an unknown format", "format=xml", "format"],
  ])("is not reported for %s", async (_, query, field) => {
    for (const path of ofPeriod) {
      const answer = await played.administrator.get(`/admin/analytics/${path}?${query}`);
      expect(answer.status).toBe(422);
      expect(answer.body.detail).toMatchObject([{ loc: ["query", field] }]);
    }
  });

  it("is reported however long it is, and its lists have the days on which there was anything", async () => {
    const always = "date_from=1970-01-01&date_to=9999-12-31";
    for (const path of [...ofPeriod.map((one) => `admin/analytics/${one}`), "admin/analytics/tutor"]) {
      const answer = await played.administrator.get(`/${path}?${always}`);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.body).toMatchObject({ date_from: "1970-01-01", date_to: "9999-12-31" });
      const lists = Object.values(answer.body).filter((value) => Array.isArray(value));
      expect(Math.max(0, ...lists.map((list) => list.length))).toBeLessThan(4000);
    }
    const { body } = await played.administrator.get(`/admin/analytics/overview?${always}`);
    const signups = body.daily_new_signups.reduce(
      (sum: number, one: { count: number }) => sum + one.count,
      0,
    );
    expect(signups).toBe(body.total_registered_users);
  });

  it("is not reported for a course that there is not", async () => {
    for (const path of ["engagement", "progress"]) {
      const answer = await played.administrator.get(`/admin/analytics/${path}?course_id=2147483647`);
      expect([answer.status, answer.body.detail]).toEqual([404, "Course not found"]);
    }
  });
});
