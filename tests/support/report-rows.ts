import * as totals from "../../lib/operations/analytics/totals.ts";
import { textOf } from "./statement-text.ts";

/** As reports read them, for statements that a test writes as a text: what is counted, and answers that are not yet. */
export const countedFacts = textOf(totals.countedFacts);
export const newAnswers = "uncounted_answers(null) as new_answer";
