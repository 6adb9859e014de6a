import { sql } from "drizzle-orm";

/**
 * The sequences of which more than half is drawn, as `sequence` and `used`, from 0 to 1: of what the column holds, and of
 * the ids beyond 2^53 - 1 none, which no JSON number tells apart.
 */
export const sequencesOverHalf = sql`
  select sequencename::text as sequence, last_value::float8 / least(max_value, 9007199254740991) as used
  from pg_sequences
  where schemaname = current_schema() and last_value > least(max_value, 9007199254740991) / 2`;
