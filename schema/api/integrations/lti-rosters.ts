import * as z from "zod";
import { ltiRosterModes, ltiRosterStates } from "../../enums.ts";
import { Id, Instant, upperEnum } from "../platform/fields.ts";

const count = (description: string, example: number) => z.int().min(0).meta({ description, example });

const Counts = z.object({
  members: count("People in the roster with a known role", 30),
  enrolled: count("People who received a seat", 2),
  staff: count("People who became staff of the offering", 1),
  dropped: count("People with a seat or staff role from this roster who are no longer in it", 1),
  unchanged: count("People without a change", 26),
  kept_dropped: count("People dropped by staff, who are not enrolled again", 0),
  awaiting_sign_in: count(
    "People with a possible account, which only their own sign-in at a first launch can confirm",
    0,
  ),
  refused: count("People suspended by the university, or with unreadable entries", 0),
});

/** An LMS course bound to an offering, with the state of its roster. */
export const LtiRoster = z
  .object({
    lti_context_id: Id,
    course_offering_id: Id,
    platform_name: z
      .string()
      .meta({ description: "Name of the LMS in the university", example: "Moodle of the campus" }),
    title: z.string().meta({ description: "Title of the LMS course", example: "Computing 1" }),
    is_offered: z.boolean().meta({ description: "Whether the LMS provides the roster" }),
    state: upperEnum(ltiRosterStates)
      .nullable()
      .meta({
        example: "TAKEN",
        description:
          "ASKED: will be read within a minute, or at night. TAKEN: applied. DRY: dry run. WAITING: would " +
          "drop more than a third, so it awaits confirmation by staff. FAILED: no one was dropped. Null " +
          "before the first",
      }),
    mode: upperEnum(ltiRosterModes).nullable().meta({
      example: "NIGHTLY",
      description: "Mode of the next or last reading; null before the first",
    }),
    due_at: Instant.nullable().meta({ description: "Time of the next reading; null before the first" }),
    ended_at: Instant.nullable().meta({ description: "When the last reading ended; null before the first" }),
    taken_at: Instant.nullable().meta({ description: "When the roster was last applied; null for never" }),
    counts: Counts.nullable().meta({
      description:
        "Result of the last reading; for DRY and WAITING, `dropped` counts people who would be dropped",
    }),
    failure: z.string().nullable().meta({
      example: null,
      description: "Why it could not be read, such as `it answered 403`; null if it was",
    }),
  })
  .meta({ id: "LtiRoster" });

export const LtiRosterRequest = z
  .object({
    mode: upperEnum(["whole", "dry", "confirmed"])
      .default("WHOLE")
      .meta({
        example: "DRY",
        description:
          "WHOLE applies the roster, DRY reports its changes, CONFIRMED applies a waiting one regardless of " +
          "how many people it drops",
      }),
  })
  .meta({ id: "LtiRosterRequest" });

export type LtiRoster = z.input<typeof LtiRoster>;
export type LtiRosterRequest = z.output<typeof LtiRosterRequest>;
