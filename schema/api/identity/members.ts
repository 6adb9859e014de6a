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
    description: "Newest id in the university's own system; null without one",
  }),
  given_name: z
    .string()
    .nullable()
    .meta({ example: "Ada", description: "Given name, as the university writes it" }),
  family_name: z
    .string()
    .nullable()
    .meta({ example: "Lovelace", description: "Family name, as the university writes it" }),
};

const MemberSource = upperEnum(memberSources).meta({ example: "STAFF" });

export const source = {
  source: MemberSource.nullable().meta({
    description:
      "Source that last wrote the names and can change them. STAFF until the names are released; null if " +
      "every source can",
  }),
};

const Name = title(255).nullable();

export const MemberState = z
  .object({
    is_active: z.boolean().meta({ description: "False suspends the person, true restores them" }),
    external_id: ExternalId.nullable().meta({
      description: "New id of the person. Former ids still find the person. Null removes all",
    }),
    given_name: Name.meta({ description: "Imports do not change it until it is released" }),
    family_name: Name.meta({ description: "Imports do not change it until it is released" }),
    // Client generators give a schema of null alone its own type, `Null`.
    source: z.null().meta({
      type: ["string", "null"],
      const: null,
      description: "Releases the names: imports may change them again",
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
    full_name: z
      .string()
      .meta({ description: "The university's name for the person, else the person's own" }),
    email: AccountEmail,
    ...nameThere,
    ...source,
    is_active: z.boolean().meta({ description: "False while the university suspends the person" }),
  })
  .meta({ id: "Member" });

export type Member = z.input<typeof Member>;
export type MemberState = z.output<typeof MemberState>;
