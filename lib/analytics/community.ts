import { sql } from "drizzle-orm";
import type { CommunityReport } from "../../schema/api/analytics.ts";
import type { Db } from "../db/client.ts";

/** What people make and say beside the courses, since the beginning. */
export async function communityReport(db: Db): Promise<CommunityReport> {
  const { rows } = await db.execute<CommunityReport>(sql`
    select (select count(*)::int from notes) as total_notes,
           (select count(*)::int from flashcards) as total_flashcards,
           (select count(*)::int from flashcard_reviews) as total_flashcard_reviews,
           (select count(*)::int from discussion_threads) as total_discussion_threads,
           (select count(*)::int from discussion_posts where not is_deleted) as total_discussion_posts,
           avg(rating)::float8 as average_course_rating,
           count(*)::int as total_reviews
    from course_reviews`);
  if (!rows[0]) throw new Error("a sum has no row");
  return rows[0];
}
