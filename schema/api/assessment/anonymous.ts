import * as z from "zod";
import { Id } from "../platform/fields.ts";

/** The code of a person in an anonymously graded item; next to the person where they are named. */
export const anonymousCode = z.string().nullable().meta({
  example: null,
  description: "Code shown instead of the person if the item is graded anonymously; else null",
});

export const personOrCode = {
  user_id: Id.nullable().meta({
    description: "Null for others while the item is graded anonymously and not released",
  }),
  code: anonymousCode,
};
