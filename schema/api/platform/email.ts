import * as z from "zod";

/** An email address, trimmed and in lower case: comparison ignores case. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(255)
  .pipe(z.email("value is not a valid email address"))
  .meta({ format: "email", maxLength: 255, example: "ada@example.edu" });

export const AccountEmail = z.string().nullable().meta({
  description: "Null for an account created by an LMS without an email",
  example: "ada@example.edu",
});
