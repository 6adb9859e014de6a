import * as z from "zod";
import { Id } from "./fields.ts";

export const MemberState = z
  .object({ is_active: z.boolean().meta({ description: "False suspends them, true restores them" }) })
  .meta({ id: "MemberState" });

/** Someone who has a role or a place in a university, as it has them. */
export const Member = z
  .object({
    university_id: Id,
    user_id: Id,
    full_name: z.string(),
    email: z.string(),
    is_active: z.boolean().meta({ description: "False while they are suspended there" }),
  })
  .meta({ id: "Member" });

export type Member = z.input<typeof Member>;
