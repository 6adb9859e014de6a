import * as z from "zod";

/** Whose a record of examinations is: it outlives the account, and then has a number alone. */
export const personOnRecord = {
  full_name: z
    .string()
    .nullable()
    .meta({ example: "Ada Lovelace", description: "Null for an erased account" }),
};
