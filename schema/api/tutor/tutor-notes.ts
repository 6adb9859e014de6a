import * as z from "zod";
import { Id, Instant, list, text, title, Version } from "../platform/fields.ts";

/** Maximum length of a teacher's line for the tutor, in characters. */
const maxTutorLineCharacters = 4000;

/** A teacher's addition to the tutor's prompt, for courses and items. */
export const TutorLine = text(maxTutorLineCharacters)
  .nullable()
  .meta({ description: "Text added verbatim after the tutor's prompt; null for none" });

export const TutorLineShown = z
  .string()
  .nullable()
  .meta({ description: "Text added after the tutor's prompt; null for everyone except staff" });

const statement = title(1000);
const statements = list(statement, { max: 100 });

const fields = {
  notes: text(20_000).meta({ description: "Worked solutions and hints, only for the tutor" }),
  key_facts: statements.meta({ description: "Facts that learners should know in the end" }),
  common_errors: statements.meta({ description: "Frequent errors of learners" }),
  never_say: statements.meta({ description: "Statements that the tutor must never make" }),
};

export const TutorNotesUpdate = z.object(fields).partial().meta({ id: "TutorNotesUpdate" });

const statementsOf = (description: string) => z.array(z.string()).meta({ description });

export const TutorNotes = z
  .object({
    course_id: Id,
    content_item_id: Id.nullable().meta({ description: "Null for the notes of the whole course" }),
    notes: z.string().meta({ description: "Worked solutions and hints, only for the tutor" }),
    key_facts: statementsOf("Facts that learners should know in the end"),
    common_errors: statementsOf("Frequent errors of learners"),
    never_say: statementsOf("Statements that the tutor must never make"),
    updated_by: Id.nullable().meta({ description: "Person who last updated them" }),
    updated_at: Instant.nullable().meta({ description: "Null if nothing was written yet" }),
    version: Version,
  })
  .meta({ id: "TutorNotes" });

export type TutorNotesUpdate = z.output<typeof TutorNotesUpdate>;
export type TutorNotes = z.output<typeof TutorNotes>;
