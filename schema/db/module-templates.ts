import { pgTable, text, varchar } from "drizzle-orm/pg-core";
import { type ModuleType, moduleTypes } from "../enums.ts";
import { id, jsonObject, oneOf, timestamps, upperEnum } from "./columns.ts";

/** A starting point for modules of one type. */
export const moduleTemplates = pgTable(
  "module_templates",
  {
    id: id(),
    template_type: upperEnum<ModuleType>().notNull(),
    title: varchar({ length: 255 }).notNull(),
    description: text(),
    default_data: jsonObject(),
    ...timestamps(),
  },
  (table) => [oneOf(table.template_type, moduleTypes)],
);
