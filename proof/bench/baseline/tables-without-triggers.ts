import type pg from "pg";

/** Tables that requests insert into and that triggers or foreign keys follow. */
const tables = ["user_content_progress", "activity_events", "chat_messages", "cache_visits"];

/** Copies the tables with indexes into the schema `plain`, without triggers and foreign keys. */
export async function copyTableDefinitionsWithoutTriggers(client: pg.Client): Promise<void> {
  await client.query("create schema plain");
  for (const table of tables)
    await client.query(
      `create table plain.${table} (like public.${table} including defaults including identity including indexes)`,
    );
}
