import * as totals from "../../lib/operations/analytics/totals.ts";
import { textOf } from "./statement-text.ts";

/**
 * As reports read them, for statements in a test's text: counted rows, and answers that are not counted yet.
 */
export const countedFacts = textOf(totals.countedFactsSql);
export const newAnswers = "uncounted_answers_unless_too_many(null) as new_answer";
