import * as z from "zod";

/** The person of an examination record, which outlives the account and then has only a number. */
export const personOnRecord = {
  full_name: z
    .string()
    .nullable()
    .meta({ example: "Ada Lovelace", description: "Null for an erased account" }),
};
