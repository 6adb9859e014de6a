import * as z from "zod";

/** An e-mail address, trimmed and lowercased: addresses are compared without regard to case. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(255)
  .pipe(z.email("value is not a valid email address"))
  .meta({ format: "email", maxLength: 255, example: "ada@example.edu" });

/** The address of an account as it is told. */
export const AccountEmail = z.string().nullable().meta({
  description: "Null for an account that an LMS has made, which has none",
  example: "ada@example.edu",
});
