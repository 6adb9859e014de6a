import { type SQL, sql } from "drizzle-orm";

/** A waiting caller may claim the answer immediately. Instants are rounded to the millisecond. */
export const releaseGenerationEndingCallQuery = (
  { generation, token }: { generation: number; token: string },
  call: number | null,
  used: string | null,
): SQL => sql`
  with released as (
    update generations set lease_until = clock_timestamp() - interval '1 millisecond'
    where id = ${generation} and token = ${token}::uuid and state = 'writing')
  select end_llm_call_and_count_usage(${call}::bigint, 'timeout', ${used}::jsonb)`;
