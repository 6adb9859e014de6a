import { sql } from "drizzle-orm";
import { CommunityReport } from "../../schema/api/analytics.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";

/** What people make and say beside the courses, as it stands. */
export async function communityReport(db: Db): Promise<CommunityReport> {
  const statement = sql`
    select (select count(*)::int from notes) as total_notes,
           (select count(*)::int from flashcards) as total_flashcards,
           (select count(*)::int from flashcard_reviews) as total_flashcard_reviews,
           (select count(*)::int from discussion_threads) as total_discussion_threads,
           (select count(*)::int from discussion_posts where not is_deleted) as total_discussion_posts,
           (select avg(rating)::float8 from course_reviews) as average_course_rating,
           (select count(*)::int from course_reviews) as total_reviews`;
  const [row] = await rowsOf(db, CommunityReport, statement);
  if (!row) throw new Error("a sum has no row");
  return row;
}
