import { sql } from "drizzle-orm";
import { CommunityReport } from "../../schema/api/analytics.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { countNew } from "./count-new.ts";
import { countOf, ratio, sumOf } from "./totals.ts";

/** What people make and say beside the courses, as it stands. */
export async function communityReport(db: Db): Promise<CommunityReport> {
  await countNew(db);
  const statement = sql`
    select ${countOf("notes")} as total_notes,
           ${countOf("flashcards")} as total_flashcards,
           ${countOf("flashcard_reviews")} as total_flashcard_reviews,
           ${countOf("discussion_threads")} as total_discussion_threads,
           ${countOf("discussion_posts")} as total_discussion_posts,
           ${ratio(sumOf("course_ratings"), sumOf("course_reviews"))} as average_course_rating,
           ${countOf("course_reviews")} as total_reviews`;
  const [report] = await rowsOf(db, CommunityReport, statement);
  if (!report) throw new Error("a sum has no row");
  return report;
}
