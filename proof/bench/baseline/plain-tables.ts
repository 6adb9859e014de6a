import type pg from "pg";

/** What the service's requests insert into, and what its triggers and foreign keys follow. */
const tables = ["user_content_progress", "activity_events", "chat_messages", "cache_visits"];

/** Makes the same tables in a schema `plain`, with their indexes, and without a trigger or a foreign key. */
export async function makePlainTables(client: pg.Client): Promise<void> {
  await client.query("create schema plain");
  for (const table of tables)
    await client.query(
      `create table plain.${table} (like public.${table} including defaults including identity including indexes)`,
    );
}
