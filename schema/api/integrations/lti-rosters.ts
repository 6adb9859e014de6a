import * as z from "zod";
import { ltiRosterModes, ltiRosterStates } from "../../enums.ts";
import { Id, Instant, upperEnum } from "../platform/fields.ts";

const count = (description: string, example: number) => z.int().min(0).meta({ description, example });

const Counts = z.object({
  members: count("Whom it names, with a role that is one here", 30),
  enrolled: count("Who got a seat", 2),
  staff: count("Who became staff of the offering", 1),
  dropped: count("Who had their seat, or were staff, from there, and are named no more", 1),
  unchanged: count("Who had what it says", 26),
  kept_dropped: count("Whom staff have dropped: nothing enrolls them again", 0),
  awaiting_sign_in: count(
    "Whose account may be one that only they can say is theirs, at their first launch",
    0,
  ),
  refused: count("Whom the university has suspended, or of whom it says nothing that can be read", 0),
});

/** An LMS course bound to an offering, with the state of its roster. */
export const LtiRoster = z
  .object({
    lti_context_id: Id,
    course_offering_id: Id,
    platform_name: z
      .string()
      .meta({ description: "What the university calls the LMS", example: "Moodle of the campus" }),
    title: z.string().meta({ description: "What the course is called there", example: "Computing 1" }),
    is_offered: z.boolean().meta({ description: "Whether the LMS lets it be read" }),
    state: upperEnum(ltiRosterStates).nullable().meta({
      example: "TAKEN",
      description:
        "ASKED: it is read within a minute, or tonight. TAKEN. DRY: it was looked at alone. WAITING: it would drop over a third, so that nobody is dropped until staff confirm it. FAILED: nobody was dropped. Null before the first",
    }),
    mode: upperEnum(ltiRosterModes).nullable().meta({
      example: "NIGHTLY",
      description: "How it is read next",
    }),
    due_at: Instant.nullable().meta({ description: "When it is read next" }),
    ended_at: Instant.nullable().meta({ description: "When the last reading ended" }),
    taken_at: Instant.nullable().meta({ description: "When it was last taken" }),
    counts: Counts.nullable().meta({
      description:
        "What the last reading came to; of DRY and WAITING, `dropped` is what it would have dropped",
    }),
    failure: z.string().nullable().meta({
      example: null,
      description: "Why it could not be read, such as `it answered 403`",
    }),
  })
  .meta({ id: "LtiRoster" });

export const LtiRosterRequest = z
  .object({
    mode: upperEnum(["whole", "dry", "confirmed"]).default("WHOLE").meta({
      example: "DRY",
      description:
        "WHOLE takes it; DRY says what that would change; CONFIRMED takes one that waits, however many it drops",
    }),
  })
  .meta({ id: "LtiRosterRequest" });

export type LtiRoster = z.input<typeof LtiRoster>;
export type LtiRosterRequest = z.output<typeof LtiRosterRequest>;
