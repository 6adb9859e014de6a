import * as z from "zod";
import { importFormats, importOutcomes } from "../../enums.ts";
import { Id, Instant, oneOf, paginationOf, RefusalCode, upperEnum, WideId } from "../platform/fields.ts";
import { base64Text, fileText, maxSentFileBytes, ReadAs } from "../platform/file-text.ts";
import { listQuery } from "../platform/search-and-sort.ts";

const Format = upperEnum(importFormats).meta({ example: "CSV" });

const fileNames = [
  "people.csv",
  "roles.csv",
  "enrollments.csv",
  "academicSessions.csv",
  "courses.csv",
  "classes.csv",
  "users.csv",
] as const;

const FileContent = fileText(1_000_000);

const Files = z
  .strictObject(
    Object.fromEntries(fileNames.map((name) => [name, FileContent.optional()])) as Record<
      (typeof fileNames)[number],
      z.ZodOptional<typeof FileContent>
    >,
  )
  .meta({
    description:
      "Text or bytes of each file by name. CSV: people.csv (email, full_name), roles.csv (role; department_code), " +
      "enrollments.csv (course_offering_id or class_sourced_id; as: student or teacher), each with " +
      "sourced_id or email and optionally status (active, tobedeleted). ONE_ROSTER: academicSessions, " +
      "courses, classes, users, roles and enrollments of OneRoster 1.2",
    example: { "people.csv": "email,full_name,sourced_id\r\nada@example.edu,Ada Lovelace,s-1\r\n" },
  });

export const ImportCreate = z
  .object({
    format: Format,
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to report the outcome without writing" }),
    override: z.boolean().default(false).meta({
      description: "Whether to ignore the enrollment window, prerequisites and capacity",
    }),
    files: Files.optional(),
    zip: base64Text(maxSentFileBytes, "Instead of `files`: a ZIP archive of at most 16 MiB unpacked,")
      .optional()
      .meta({
        example: "UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==",
      }),
    file_id: WideId.optional().meta({
      description:
        "Instead of `files`: the caller's READY file of purpose IMPORT for the university. A ZIP " +
        "archive, or one of the files with its name",
    }),
  })
  .check(oneOf("files", "zip", "file_id"))
  .meta({
    id: "ImportCreate",
    example: {
      format: "CSV",
      dry_run: true,
      files: { "people.csv": "email,full_name\r\nada@example.edu,Ada Lovelace\r\n" },
    },
  });

const count = (description: string) => z.int().min(0).meta({ description, example: 0 });

export const Import = z
  .object({
    id: Id,
    university_id: Id,
    format: Format,
    dry_run: z.boolean().meta({ description: "Whether it only reports the outcome" }),
    override: z
      .boolean()
      .meta({ description: "Whether it ignores the enrollment window, prerequisites and capacity" }),
    total: count("Number of rows of all files"),
    done: count("Rows with an outcome"),
    created: count("Rows that created something"),
    updated: count("Rows that changed something"),
    unchanged: count("Rows without a change"),
    offered: count("Rows that became offers to people outside the university"),
    refused: count("Rejected rows; the results have the reasons"),
    read_as: z
      .array(z.object({ file: z.string().meta({ description: "The name of the file" }), encoding: ReadAs }))
      .meta({ description: "How each file was decoded" }),
    ignored: z
      .array(
        z.object({
          file: z.string().meta({ description: "The name of the file" }),
          column: z.string().nullable().meta({ description: "Null for a whole file" }),
          rows: z.int().nullable().meta({ description: "Number of values; null for a whole file" }),
        }),
      )
      .meta({ description: "Unused files, and unused columns that have values" }),
    created_by_user_id: Id.nullable().meta({ description: "The person who started the import" }),
    created_at: Instant.meta({ description: "When the import was started" }),
    ended_at: Instant.nullable().meta({ description: "When the last row was processed; null until then" }),
  })
  .meta({ id: "ImportJob" });

export const ImportResult = z
  .object({
    file: z.string().meta({ description: "The name of the file" }),
    line: z.int().meta({ description: "Line of the file, from 1 including the header" }),
    sourced_id: z.string().nullable().meta({ description: "The source's id in the row, if any" }),
    email: z.string().nullable().meta({ description: "The address in the row, if any" }),
    outcome: upperEnum(importOutcomes)
      .nullable()
      .meta({ description: "Outcome of the row; null until it is processed" }),
    reason: z.string().nullable().meta({ description: "Why the row was rejected; null if it was not" }),
    code: RefusalCode,
  })
  .meta({ id: "ImportResult" });

export const ImportQuery = listQuery({});

export const ImportResultQuery = z.strictObject({
  outcome: upperEnum(importOutcomes).optional(),
  format: z.enum(["json", "csv"]).default("json").meta({ description: "`csv` returns a file for download" }),
  ...paginationOf({ limit: 100, max: 5000 }),
});

export type ImportCreate = z.output<typeof ImportCreate>;
export type Import = z.input<typeof Import>;
export type ImportQuery = z.output<typeof ImportQuery>;
export type ImportResult = z.input<typeof ImportResult>;
export type ImportResultQuery = z.output<typeof ImportResultQuery>;
