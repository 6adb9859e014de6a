import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  pgView,
  primaryKey,
  text,
  unique,
  varchar,
} from "drizzle-orm/pg-core";
import { type PromptType, promptTypes } from "../../enums.ts";
import { users } from "../identity/users.ts";
import {
  id,
  instant,
  jsonObject,
  lowerEnum,
  now,
  oneOf,
  reference,
  rowVersion,
  timestamps,
} from "../platform/columns.ts";

/** The common row of all versions of a prompt. Creating a version locks it, which serializes the numbers. */
export const promptNames = pgTable(
  "prompt_names",
  {
    name: varchar({ length: 255 }).primaryKey(),
    type: lowerEnum<PromptType>().notNull().default("text"),
    tags: text().array().notNull().default([]),
    /** The highest number ever used; numbers of deleted versions are not reused. */
    latest_version: integer().notNull().default(0),
    /** Covers versions, labels and tags. */
    version: rowVersion(),
    created_at: instant().notNull().default(now),
  },
  (table) => [oneOf(table.type, promptTypes)],
);

export const prompts = pgTable(
  "prompts",
  {
    id: id(),
    name: varchar({ length: 255 })
      .notNull()
      .references(() => promptNames.name, { onDelete: "cascade" }),
    version: integer().notNull(),
    prompt: text().notNull(),
    /** SHA-256 of a text without references, under which the tutor's answers are stored. */
    plain_fingerprint: varchar({ length: 64 }).generatedAlwaysAs(
      sql`case when prompt not like '%@@@refPrompt:%' then sha256_hex(prompt) end`,
    ),
    /** Whether the text itself uses an item's surroundings: the titles of module and course. */
    uses_surroundings: boolean()
      .notNull()
      .generatedAlwaysAs(sql`prompt ~ '\\{\\{ *(module_title|course_title) *\\}\\}'`),
    /** Length of the text itself, to compute the inlined length without reading it. */
    characters: integer().notNull().generatedAlwaysAs(sql`length(prompt)`),
    config: jsonObject().notNull().default({}),
    commit_message: varchar({ length: 500 }),
    created_by: reference(() => users.id, "set null"),
    ...timestamps(),
  },
  (table) => [
    unique().on(table.name, table.version),
    // The target of the foreign key that keeps a label on a version of its own prompt.
    unique().on(table.name, table.id),
    index().on(table.created_by),
    check("prompts_version_check", sql`${table.version} >= 1`),
  ],
);

/** A prompt version for responses: a view of schema/functions/tutor/prompts.sql. */
export const promptVersions = pgView("prompt_versions", {
  id: integer().notNull(),
  name: varchar({ length: 255 }).notNull(),
  version: integer().notNull(),
  type: lowerEnum<PromptType>().notNull(),
  prompt: text().notNull(),
  config: jsonObject().notNull(),
  labels: text().array().notNull(),
  tags: text().array().notNull(),
  commit_message: varchar({ length: 500 }),
  created_by: text(),
  created_at: instant().notNull(),
  updated_at: instant().notNull(),
  name_version: integer().notNull(),
}).existing();

/** The version of a label; the key allows one each. */
export const promptLabels = pgTable(
  "prompt_labels",
  {
    name: varchar({ length: 255 }).notNull(),
    label: varchar({ length: 36 }).notNull(),
    prompt_id: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.name, table.label] }),
    foreignKey({
      name: "prompt_labels_prompt_id_prompts_id_fk",
      columns: [table.prompt_id, table.name],
      foreignColumns: [prompts.id, prompts.name],
    }).onDelete("cascade"),
    index().on(table.prompt_id),
    index().on(table.label),
  ],
);

/** A reference from a prompt to another, by version or label, in order of appearance. */
export const promptDependencies = pgTable(
  "prompt_dependencies",
  {
    id: id(),
    prompt_id: reference(() => prompts.id, "cascade").notNull(),
    position: integer().notNull(),
    child_name: varchar({ length: 255 }).notNull(),
    child_version: integer(),
    child_label: varchar({ length: 36 }),
    /** Number of occurrences, and total length of their tags, which inlining replaces. */
    occurrences: integer().notNull().default(1),
    tag_characters: integer().notNull().default(0),
  },
  (table) => [
    unique().on(table.prompt_id, table.position),
    index().on(table.child_name),
    check(
      "prompt_dependencies_version_or_label",
      sql`num_nonnulls(${table.child_version}, ${table.child_label}) = 1`,
    ),
  ],
);

/** A label that was set, moved or removed (version null). It outlives its prompt. */
export const promptLabelEvents = pgTable(
  "prompt_label_events",
  {
    id: id(),
    name: varchar({ length: 255 }).notNull(),
    label: varchar({ length: 36 }).notNull(),
    from_version: integer(),
    to_version: integer(),
    changed_by: reference(() => users.id, "set null"),
    changed_at: instant().notNull().default(now),
  },
  (table) => [index().on(table.name, table.changed_at, table.id), index().on(table.changed_by)],
);
