import * as z from "zod";
import { Id, Instant, list, text, title, Version } from "../platform/fields.ts";

/** Maximum length of a teacher's line for the tutor, in characters. */
const longestLine = 4000;

/** A teacher's addition to the tutor's prompt, for courses and items. */
export const TutorLine = text(longestLine)
  .nullable()
  .meta({ description: "What the tutor is told behind its prompt, word for word; null: nothing" });

export const TutorLineShown = z
  .string()
  .nullable()
  .meta({ description: "What the tutor is told behind its prompt; null for everyone but staff" });

const statement = title(1000);
const statements = list(statement, { max: 100 });

const fields = {
  notes: text(20_000).meta({ description: "Worked solutions and hints, for the tutor alone" }),
  key_facts: statements.meta({ description: "What learners should know in the end" }),
  common_errors: statements.meta({ description: "What learners often get wrong" }),
  never_say: statements.meta({ description: "What the tutor should not say in any case" }),
};

export const TutorNotesUpdate = z.object(fields).partial().meta({ id: "TutorNotesUpdate" });

const statementsOf = (description: string) => z.array(z.string()).meta({ description });

export const TutorNotes = z
  .object({
    course_id: Id,
    content_item_id: Id.nullable().meta({ description: "Null for the notes of the whole course" }),
    notes: z.string().meta({ description: "Worked solutions and hints, for the tutor alone" }),
    key_facts: statementsOf("What learners should know in the end"),
    common_errors: statementsOf("What learners often get wrong"),
    never_say: statementsOf("What the tutor should not say in any case"),
    updated_by: Id.nullable().meta({ description: "Who wrote them last" }),
    updated_at: Instant.nullable().meta({ description: "Null where nothing was written yet" }),
    version: Version,
  })
  .meta({ id: "TutorNotes" });

export type TutorNotesUpdate = z.output<typeof TutorNotesUpdate>;
export type TutorNotes = z.output<typeof TutorNotes>;
