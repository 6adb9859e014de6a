import type * as z from "zod";
import { Email } from "../platform/email.ts";
import { Id } from "../platform/fields.ts";
import { ExternalId } from "./members.ts";

const external_id = ExternalId.optional().meta({
  description: "Instead of user_id: the person's id in the university's own system",
});

/** A person in a body: by id if the caller may see them, by email anyone. */
export const personFields = {
  user_id: Id.optional().meta({ description: "A person visible to the caller; use email for others" }),
  email: Email.optional().meta({ description: "Instead of user_id: the email of an account" }),
  external_id,
};

/** The same for grants that become offers to people outside the university. */
export const personOrAddresseeFields = {
  ...personFields,
  email: Email.optional().meta({
    description: "Instead of user_id: any email. A person outside the university receives an offer",
  }),
};

export type NamedPerson = {
  user_id?: number | undefined;
  email?: string | undefined;
  external_id?: string | undefined;
};

/** The ways to name a person. */
const ways = ["user_id", "email", "external_id"] as const;

/** Allows at most one of them. */
export function namesNoPersonTwice({ value, issues }: z.core.ParsePayload<NamedPerson>): void {
  const [first, ...more] = ways.filter((way) => value[way] !== undefined);
  for (const way of more)
    issues.push({
      code: "custom",
      path: [way],
      message: `Input should not come with ${first}`,
      input: value[way],
    });
}

/** Requires exactly one of them. */
export function namesOnePerson(payload: z.core.ParsePayload<NamedPerson>): void {
  const { value, issues } = payload;
  if (ways.every((way) => value[way] === undefined))
    issues.push({ code: "custom", path: ["user_id"], message: "Field required", input: value });
  namesNoPersonTwice(payload);
}
