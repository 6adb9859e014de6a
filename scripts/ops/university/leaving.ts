import type pg from "pg";

export type Leaving = { id: number; name: string; short_code: string; is_active: boolean };

/** Rejects if no university has the short code. */
export async function findLeaving(client: pg.Client, shortCode: string): Promise<Leaving> {
  const { rows } = await client.query<Leaving>(
    "select id, name, short_code, is_active from universities where short_code = $1",
    [shortCode],
  );
  const [found] = rows;
  if (!found) throw new Error(`No university has the short code ${shortCode}`);
  return found;
}

/** The data must not change during an export or removal. */
export function refuseActive({ name, is_active }: Leaving): void {
  if (is_active)
    throw new Error(
      `${name} is active. Set is_active to false first (PATCH /universities/{id}, or in the web application), to prevent ` +
        "writes during this command",
    );
}

/** Audits a command, without an actor. */
export async function auditCommand(
  client: pg.Client,
  action: "university.exported" | "university.imported" | "university.removed",
  university: number,
  details: object,
): Promise<void> {
  await client.query("select audit($1, null, null, $2, $3, jsonb_build_object('at', service_now()))", [
    action,
    university,
    JSON.stringify(details),
  ]);
}

/** The database's last migration; both deployments must have the same. */
export async function lastMigration(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ hash: string }>(
    "select hash from drizzle.__drizzle_migrations order by created_at desc limit 1",
  );
  return rows[0]?.hash ?? "";
}
