import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import * as totals from "../../lib/analytics/totals.ts";

/** A part of a statement as its text, for statements that a test writes as a text. */
export const textOf = (part: SQL): string => new PgDialect().sqlToQuery(part.inlineParams()).sql;

/** As reports read them, for statements that a test writes as a text: what is counted, and answers that are not yet. */
export const countedFacts = textOf(totals.countedFacts);
export const newAnswers = "uncounted_answers(null) as new_answer";
