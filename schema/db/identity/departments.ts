import { pgTable, unique, varchar } from "drizzle-orm/pg-core";
import { id, reference, timestamps } from "../platform/columns.ts";
import { universities } from "./universities.ts";

/** A department of a university; its code is unique there. */
export const departments = pgTable(
  "departments",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    name: varchar({ length: 255 }).notNull(),
    code: varchar({ length: 64 }).notNull(),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.university_id, table.code),
    // The target of foreign keys that must stay within one university.
    unique().on(table.university_id, table.id),
  ],
);
