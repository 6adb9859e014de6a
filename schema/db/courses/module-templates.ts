import { sql } from "drizzle-orm";
import { index, pgTable, text, varchar } from "drizzle-orm/pg-core";
import { type ModuleType, moduleTypes } from "../../enums.ts";
import { universities } from "../identity/universities.ts";
import { id, jsonObject, oneOf, reference, timestamps, upperEnum } from "../platform/columns.ts";

/** A template for modules of one type. Global without a university. */
export const moduleTemplates = pgTable(
  "module_templates",
  {
    id: id(),
    university_id: reference(() => universities.id, "cascade"),
    template_type: upperEnum<ModuleType>().notNull(),
    title: varchar({ length: 255 }).notNull(),
    description: text(),
    default_data: jsonObject(),
    search_text: text().generatedAlwaysAs(sql`searched(title)`),
    ...timestamps(),
  },
  (table) => [
    index().on(table.university_id, table.id),
    index().on(table.university_id, table.search_text, table.id),
    oneOf(table.template_type, moduleTypes),
  ],
);
