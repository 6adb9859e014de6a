import type * as z from "zod";
import { Email } from "./email.ts";
import { Id } from "./fields.ts";

/** A person in a body: by id someone whom the caller may see, by e-mail address anyone. */
export const personFields = {
  user_id: Id.optional().meta({ description: "Someone whom the caller may see; anyone else goes by email" }),
  email: Email.optional().meta({ description: "In place of user_id: the address of an account" }),
};

/** The same where someone who is not the university's own person is offered it. */
export const personOrAddresseeFields = {
  ...personFields,
  email: Email.optional().meta({
    description:
      "In place of user_id: anyone's address; who is not the university's own person is offered it",
  }),
};

export type NamedPerson = { user_id?: number | undefined; email?: string | undefined };

/** One of the two it must be. */
export function namesOnePerson({ value, issues }: z.core.ParsePayload<NamedPerson>): void {
  const { user_id, email } = value;
  if (user_id === undefined && email === undefined)
    issues.push({ code: "custom", path: ["user_id"], message: "Field required", input: value });
  if (user_id !== undefined && email !== undefined)
    issues.push({
      code: "custom",
      path: ["email"],
      message: "Input should not come with user_id",
      input: value,
    });
}
