import type * as z from "zod";
import { ValidationError } from "../../errors.ts";
import { toFieldIssues } from "../../platform/validation/issues.ts";
import { findUnstorableValues } from "../../platform/validation/unstorable.ts";

/** A tool's JSON body, whose media type is the standard's. Throws 422. */
export function parseToolBody<Schema extends z.ZodType>(schema: Schema, sent: unknown): z.output<Schema> {
  const unstorable = findUnstorableValues("body", sent);
  if (unstorable.length > 0) throw new ValidationError(unstorable);
  const { data, error } = schema.safeParse(sent);
  if (error) throw new ValidationError(toFieldIssues("body", sent, error.issues));
  return data as z.output<Schema>;
}
