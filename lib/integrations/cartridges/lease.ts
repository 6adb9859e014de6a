import { type SQL, sql } from "drizzle-orm";

/** CTEs that lease the oldest unfinished import until then; `leased` has the row. */
export const leaseImportCtes = (moment: string, until: string): SQL => sql`
  next as (
    select id from cartridge_imports
    where ended_at is null and (leased_until is null or leased_until <= ${moment})
    order by id limit 1 for no key update skip locked
  ), leased as (
    update cartridge_imports as one set leased_until = ${until}, tries = one.tries + 1
    from next where one.id = next.id returning one.*
  )`;

/** Ends an import that has no part left, or fails for the reason `why`. */
export const endCartridgeImportQuery = (id: number, why: string | null, moment: string): SQL => sql`
  update cartridge_imports set ended_at = ${moment}, failure = ${why}, leased_until = null
  where id = ${id} and ended_at is null and (
    ${why}::text is not null or not exists (select from cartridge_parts where import_id = ${id} and outcome is null))`;
