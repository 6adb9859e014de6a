import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";

/** A part of a statement as its text, for statements that a test writes as a text. */
export const textOf = (part: SQL): string => new PgDialect().sqlToQuery(part.inlineParams()).sql;
