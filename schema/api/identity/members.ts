import * as z from "zod";
import { memberSources } from "../../enums.ts";
import { AccountEmail } from "../platform/email.ts";
import { Id, title, upperEnum } from "../platform/fields.ts";

/** A person's id in the university's own system, such as a matriculation number: printable ASCII. */
export const ExternalId = title(255)
  .regex(/^[\x20-\x7e]+$/, "Input should be printable ASCII characters")
  .meta({ example: "s-1815" });

/** A university's own name for a person. */
export const nameThere = {
  external_id: z.string().nullable().meta({
    example: "s-1815",
    description: "The newest id by which the university's own system knows them; null without one",
  }),
  given_name: z.string().nullable().meta({ example: "Ada", description: "As the university writes it" }),
  family_name: z
    .string()
    .nullable()
    .meta({ example: "Lovelace", description: "As the university writes it" }),
};

const MemberSource = upperEnum(memberSources).meta({ example: "STAFF" });

export const source = {
  source: MemberSource.nullable().meta({
    description:
      "What wrote these names, and alone writes them anew: STAFF until they release it; null: anything may",
  }),
};

const Name = title(255).nullable();

export const MemberState = z
  .object({
    is_active: z.boolean().meta({ description: "False suspends them, true restores them" }),
    external_id: ExternalId.nullable().meta({
      description:
        "The id to answer from now on; others that they have go on finding them. Null takes all of them away",
    }),
    given_name: Name.meta({ description: "No import changes it until it is released" }),
    family_name: Name.meta({ description: "No import changes it until it is released" }),
    // Client generators give a schema of null alone its own type, `Null`.
    source: z.null().meta({
      type: ["string", "null"],
      const: null,
      description: "Releases the names: imports write them again",
    }),
  })
  .partial()
  .check(({ value, issues }) => {
    if (value.source === null && (value.given_name !== undefined || value.family_name !== undefined))
      issues.push({
        code: "custom",
        path: ["source"],
        message: "Input should not come with a name",
        input: value.source,
      });
  })
  .meta({ id: "MemberState", example: { family_name: "Lovelace" } });

export const Member = z
  .object({
    university_id: Id,
    user_id: Id,
    full_name: z.string().meta({ description: "The name that the university has of them, else their own" }),
    email: AccountEmail,
    ...nameThere,
    ...source,
    is_active: z.boolean().meta({ description: "False while they are suspended there" }),
  })
  .meta({ id: "Member" });

export type Member = z.input<typeof Member>;
export type MemberState = z.output<typeof MemberState>;
