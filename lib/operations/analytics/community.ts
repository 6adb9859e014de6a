import { sql } from "drizzle-orm";
import { CommunityReport } from "../../../schema/api/operations/analytics.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { integerOrZeroSql, ratioSql, sumsOfTotalsQuery } from "./totals.ts";

const measures = [
  "notes",
  "flashcards",
  "flashcard_reviews",
  "discussion_posts",
  "course_reviews",
  "course_ratings",
] as const;

export async function communityReport(db: ReadDb): Promise<CommunityReport> {
  const statement = sql`
    select ${integerOrZeroSql(sql`notes`)} as total_notes,
           ${integerOrZeroSql(sql`flashcards`)} as total_flashcards,
           ${integerOrZeroSql(sql`flashcard_reviews`)} as total_flashcard_reviews,
           (select count(*)::int from discussion_threads) as total_discussion_threads,
           ${integerOrZeroSql(sql`discussion_posts`)} as total_discussion_posts,
           ${ratioSql(sql`course_ratings`, sql`course_reviews`)} as average_course_rating,
           ${integerOrZeroSql(sql`course_reviews`)} as total_reviews
    from (${sumsOfTotalsQuery("community", measures)}) as made`;
  const [row] = await rowsOf(db, CommunityReport, statement);
  if (!row) throw new Error("an aggregate returned no row");
  return row;
}
