import * as z from "zod";
import { namesOnePerson, personFields } from "../identity/named-person.ts";
import { Id, IdText, Instant } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

export const ExemptionCreate = z
  .object({
    ...personFields,
    prerequisite_course_id: Id.meta({ description: "A prerequisite of the course" }),
  })
  .check(namesOnePerson)
  .meta({ id: "ExemptionCreate", example: { user_id: 1, prerequisite_course_id: 1 } });

export const Exemption = z
  .object({
    id: Id,
    course_id: Id,
    prerequisite_course_id: Id,
    user_id: Id,
    full_name: z.string().nullable().meta({ description: "Null for a person not visible to the caller" }),
    granted_by_user_id: Id.nullable().meta({
      description: "Null if the account was erased",
    }),
    created_at: Instant,
  })
  .meta({ id: "Exemption" });

export const ExemptionQuery = listQuery({
  q: searchIn("the name or the email address of the exempted person"),
  user_id: IdText.optional(),
  prerequisite_course_id: IdText.optional(),
  sort: sortedBy(["id", "full_name"]),
});

export type ExemptionCreate = z.output<typeof ExemptionCreate>;
export type Exemption = z.input<typeof Exemption>;
export type ExemptionQuery = z.output<typeof ExemptionQuery>;
