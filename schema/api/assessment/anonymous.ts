import * as z from "zod";
import { Id } from "../platform/fields.ts";

/** The code of a person in an anonymously graded item; next to the person where they are named. */
export const anonymousCode = z.string().nullable().meta({
  example: null,
  description: "What stands for the person where the item is graded anonymously; null where it is not",
});

export const personOrCode = {
  user_id: Id.nullable().meta({
    description: "Null to everyone else while the item is graded anonymously and not released",
  }),
  code: anonymousCode,
};
