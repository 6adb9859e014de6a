import * as z from "zod";
import { retentionKinds } from "../../enums.ts";
import { namesNoPersonTwice, personFields } from "../identity/named-person.ts";
import { CalendarDate, Id, Instant, integer, pagination, title } from "../platform/fields.ts";

const Kind = z.enum(retentionKinds).meta({
  example: "conversations",
  description:
    "`activity_events`; `conversations` with the tutor; `llm_calls`, whose cost is kept; " +
    "`audit_events`; `notifications`; `submissions` with answers; `grades` with attempts",
});

/** Minimum days of retention by kind; 30 for others. */
export const minRetentionDaysByKind: Partial<Record<(typeof retentionKinds)[number], number>> = {
  audit_events: 365,
};
export const defaultMinRetentionDays = 30;

/** Proposed days of retention after the term; null: for ever. */
export const proposedDays: Partial<Record<(typeof retentionKinds)[number], number | null>> = {
  conversations: 180,
  submissions: 5 * 365,
  grades: null,
};

const days = (kind: (typeof retentionKinds)[number]) =>
  integer(minRetentionDaysByKind[kind] ?? defaultMinRetentionDays, 36_500)
    .nullable()
    .optional()
    .meta({ description: "Days after the end of the term; null for no deletion" });

export const RetentionUpdate = z
  .object({
    // Rejects unknown kinds: a typo would silently set nothing.
    kinds: z
      .strictObject(
        Object.fromEntries(retentionKinds.map((kind) => [kind, days(kind)])) as Record<
          (typeof retentionKinds)[number],
          ReturnType<typeof days>
        >,
      )
      // No default: Go code generated with an object default does not compile.
      .optional()
      .meta({ description: "Kinds that are not listed keep their values" }),
    archive_days: integer(0, 36_500).optional().meta({
      description: "Days for which an archive of deleted records is kept; 0 for no archive",
      example: 1825,
    }),
  })
  .meta({ id: "RetentionUpdate", example: { kinds: { conversations: 180, grades: null } } });

const RetentionPeriod = z.object({
  kind: Kind,
  days: z.int().nullable().meta({ description: "Days after the end of the term; null for no deletion" }),
  proposed_days: z.int().nullable().meta({ description: "Recommended period; null for unlimited or none" }),
  least_days: z.int().meta({ description: "Minimum period" }),
  set_at: Instant.nullable().meta({ description: "When the period was set or shortened" }),
  counted_at: Instant.nullable().meta({
    description: "When its dry run was read; nothing is deleted before",
  }),
  first_run_at: Instant.nullable().meta({
    description: "Time of the first deletion: at least 30 days after the period was set",
  }),
});

export const Retention = z
  .object({
    periods: z.array(RetentionPeriod).meta({ description: "One entry for each kind, in fixed order" }),
    archive_days: z.int().meta({ description: "Days for which an archive is kept; 0 for no archive" }),
  })
  .meta({ id: "Retention" });

/** The number of rows that a retention period would delete when it first applies. */
export const RetentionCount = z
  .object({
    kind: Kind,
    as_of: Instant.meta({
      description: "Time for which records were counted: the first run, or now",
    }),
    rows: z.int().meta({ description: "Number of records to delete" }),
    is_more: z.boolean().meta({ description: "Whether there are more records than counted" }),
  })
  .meta({ id: "RetentionCount" });

export const RetentionHoldCreate = z
  .object({
    ...personFields,
    course_offering_id: Id.nullish().meta({
      description: "Instead of a person: an offering of the university",
    }),
    reason: title(500).meta({ description: "Reason, visible to holders of the office" }),
    held_until: CalendarDate.nullable()
      .default(null)
      .meta({ description: "Last day in the university's time zone; null until released" }),
  })
  .check((payload) => {
    const { value, issues } = payload;
    namesNoPersonTwice(payload);
    const namesPerson = [value.user_id, value.email, value.external_id].some((one) => one !== undefined);
    const isOfOffering = (value.course_offering_id ?? null) !== null;
    if (namesPerson === isOfOffering)
      issues.push({
        code: "custom",
        path: ["course_offering_id"],
        message: namesPerson ? "Input should not come with a person" : "Field required, or a person",
        input: value,
      });
  })
  .meta({ id: "RetentionHoldCreate", example: { user_id: 4, reason: "Appeal 17/2026" } });

/** A hold: nothing of a person or offering is deleted. */
export const RetentionHold = z
  .object({
    id: Id,
    university_id: Id,
    user_id: Id.nullable(),
    full_name: z.string().nullable().meta({ description: "Null for an offering, and for an erased account" }),
    course_offering_id: Id.nullable(),
    course_title: z.string().nullable().meta({ description: "Title of the offering's course" }),
    reason: z.string(),
    held_until: CalendarDate.nullable().meta({ description: "Last day; null until released" }),
    placed_by_user_id: Id.nullable().meta({ description: "Null if the account was erased" }),
    placed_at: Instant.meta({ description: "When the hold was placed" }),
  })
  .meta({ id: "RetentionHold" });

const gone = z.int().optional().meta({ description: "Number of deleted records; absent for none" });

export const RetentionRun = z
  .object({
    id: Id,
    begun_at: Instant.meta({ description: "When the run started" }),
    ended_at: Instant.nullable().meta({ description: "Null while the run is in progress" }),
    forgotten: z
      .object(
        Object.fromEntries(retentionKinds.map((kind) => [kind, gone])) as Record<
          (typeof retentionKinds)[number],
          typeof gone
        >,
      )
      .meta({ description: "Number of deleted records of each kind", example: { conversations: 412 } }),
    archived_rows: z.int().meta({ description: "Number of archived records" }),
  })
  .meta({ id: "RetentionRun" });

export const RetentionQuery = z.object(pagination);

export type RetentionUpdate = z.output<typeof RetentionUpdate>;
export type Retention = z.input<typeof Retention>;
export type RetentionCount = z.input<typeof RetentionCount>;
export type RetentionHoldCreate = z.output<typeof RetentionHoldCreate>;
export type RetentionHold = z.input<typeof RetentionHold>;
export type RetentionRun = z.input<typeof RetentionRun>;
