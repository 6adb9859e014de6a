import * as z from "zod";

/** Page sizes of SCIM. */
export const scimPage = { usual: 100, most: 200 };

const wholeNumber = z.coerce.number().int().min(-2_147_483_648).max(2_147_483_647);

/** Parameters of a SCIM list; others, such as an order, are ignored. */
export const ScimQuery = z.object({
  filter: z.string().optional(),
  startIndex: wholeNumber.optional(),
  count: wholeNumber.optional(),
  attributes: z.string().max(2000).optional(),
  excludedAttributes: z.string().max(2000).optional(),
});

const names = z
  .array(z.string().max(255))
  .max(100)
  .transform((listed) => listed.join(","));

/** The same in a body, for clients that keep filters out of URLs. */
export const ScimSearch = ScimQuery.extend({
  attributes: names.optional(),
  excludedAttributes: names.optional(),
});

export const ScimPath = z.object({ id: z.string() });

export const ScimBody = z.record(z.string(), z.unknown());

export type ScimQuery = z.output<typeof ScimQuery>;
export type ScimBody = z.output<typeof ScimBody>;
