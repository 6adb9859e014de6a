import { sql } from "drizzle-orm";
import { CommunityReport } from "../../schema/api/analytics.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { asOf, Behind, behindSince } from "./as-of.ts";
import { countOf, ratio, sumOf, uncounted } from "./totals.ts";

const Row = CommunityReport.omit({ as_of: true }).extend(Behind);

/** What people make and say beside the courses, as it stands. */
export async function communityReport(db: Db): Promise<CommunityReport> {
  const statement = sql`
    with ${uncounted}
    select ${behindSince},
           ${countOf("notes")} as total_notes,
           ${countOf("flashcards")} as total_flashcards,
           ${countOf("flashcard_reviews")} as total_flashcard_reviews,
           ${countOf("discussion_threads")} as total_discussion_threads,
           ${countOf("discussion_posts")} as total_discussion_posts,
           ${ratio(sumOf("course_ratings"), sumOf("course_reviews"))} as average_course_rating,
           ${countOf("course_reviews")} as total_reviews`;
  const [row] = await rowsOf(db, Row, statement);
  if (!row) throw new Error("a sum has no row");
  const { behind_since, ...figures } = row;
  return { ...asOf(behind_since), ...figures };
}
