import { type SQL, sql } from "drizzle-orm";

const leaseSeconds = 30;

export const warmingLeaseRenewalMs = (leaseSeconds / 3) * 1000;

const leasedUntil = sql`clock_timestamp() + make_interval(secs => ${leaseSeconds})`;

/** The oldest warming without a lease whose batch, if any, is due for a check. */
export const leaseNextWarmingQuery = (token: string): SQL => sql`
  update warmings set state = 'running', lease_token = ${token}::uuid, lease_until = ${leasedUntil},
    started_at = coalesce(started_at, service_clock())
  where id = (
    select id from warmings
    where state in ('waiting', 'running') and coalesce(lease_until < clock_timestamp(), true) and not exists (
      select from llm_batches as batch
      where batch.warming_id = warmings.id and batch.state in ('gathering', 'sending', 'sent')
        and batch.leased_until > clock_timestamp())
    order by id limit 1 for update skip locked)
  returning *`;

export const renewWarmingLeaseQuery = (id: number, token: string): SQL => sql`
  update warmings set lease_until = ${leasedUntil}
  where id = ${id} and lease_token = ${token}::uuid and state = 'running' returning id`;

/** Ends a warming, early for a reason; undefined leaves it to another worker. */
export const releaseOrEndWarmingQuery = (
  id: number,
  token: string,
  end: string | null | undefined,
): SQL => sql`
  update warmings set
    state = case when ${end === undefined} then state when ${end ?? null}::text is null then 'done' else 'stopped' end,
    stop_reason = ${end ?? null}, ended_at = case when ${end !== undefined} then service_clock() end,
    lease_token = null, lease_until = null
  where id = ${id} and lease_token = ${token}::uuid and state = 'running'`;
