import * as z from "zod";
import { integer, integerText } from "../platform/fields.ts";

/* Queries of the LTI services for tools, as the standards name them. */

const limit = integerText(integer(1, 1000)).default(100);
const subject = z.string().max(255);

/** Sealed by this service. */
const rosterState = z.string().max(8000);

export const LineItemQuery = z.object({
  resource_link_id: z.string().max(255).optional(),
  resource_id: z.string().max(255).optional(),
  tag: z.string().max(255).optional(),
  after: integerText(integer(0)).default(0),
  limit,
});

export const ResultQuery = z.object({ user_id: subject.optional(), after: subject.optional(), limit });

export const MembershipQuery = z.object({
  role: z.string().max(255).optional(),
  rlid: z.string().max(255).optional(),
  since: rosterState.optional(),
  as_of: rosterState.optional(),
  after: subject.optional(),
  limit,
});
