import { sql } from "drizzle-orm";

/**
 * Sequences more than half used, with `used` from 0 to 1. The limit is the column's type, and for ids 2^53 -
 * 1, the largest exact JSON number.
 */
export const sequencesOverHalfQuery = sql`
  select sequencename::text as sequence, last_value::float8 / least(max_value, 9007199254740991) as used
  from pg_sequences
  where schemaname = current_schema() and last_value > least(max_value, 9007199254740991) / 2`;
