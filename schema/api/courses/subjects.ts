import * as z from "zod";
import { Description, Id, IdText, Instant, title } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const writableFields = {
  parent_subject_id: Id.nullable().meta({ description: "The parent subject; null at the top of the tree" }),
  domain_id: Id.nullable(),
  name: title(255).meta({ example: "Signal processing" }),
  code: title(128).meta({ description: "Unique", example: "ENG-SIGNALS" }),
  description: Description.nullable(),
};

export const SubjectCreate = z
  .object(writableFields)
  .partial({ parent_subject_id: true, domain_id: true, description: true })
  .meta({ id: "SubjectCreate" });

export const SubjectUpdate = z.object(writableFields).partial().meta({ id: "SubjectUpdate" });

export const Subject = z
  .object({
    id: Id,
    parent_subject_id: Id.nullable(),
    domain_id: Id.nullable(),
    name: z.string(),
    code: z.string(),
    description: z.string().nullable(),
    depth: z.int().meta({ description: "The parent's depth plus 1; 0 at the top" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Subject" });

export const SubjectQuery = listQuery({
  q: searchIn("the name or the code"),
  parent_subject_id: IdText.optional().meta({ description: "Only subjects directly below this one" }),
  domain_id: IdText.optional().meta({ description: "Only subjects of this domain" }),
  sort: sortedBy(["id", "name", "code"]),
});

export type SubjectCreate = z.output<typeof SubjectCreate>;
export type SubjectUpdate = z.output<typeof SubjectUpdate>;
export type Subject = z.input<typeof Subject>;
export type SubjectQuery = z.output<typeof SubjectQuery>;
