import * as z from "zod";
import { Description, Id, Instant, title } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const writableFields = {
  name: title(64).toLowerCase().meta({ description: "Lowercase, unique", example: "podcast" }),
  label: title(255).meta({ example: "Podcast" }),
  description: Description.nullable(),
};

export const ContentTypeCreate = z
  .object(writableFields)
  .partial({ description: true })
  .meta({ id: "ContentTypeCreate" });

export const ContentTypeUpdate = z.object(writableFields).partial().meta({ id: "ContentTypeUpdate" });

export const ContentType = z
  .object({
    id: Id,
    name: z.string(),
    label: z.string(),
    description: z.string().nullable(),
    takes_result: z.boolean().meta({
      description: "Whether its items are graded and completed only by a result; false for added types",
    }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "ContentType" });

export const ContentTypeQuery = listQuery({
  q: searchIn("the label or the name"),
  sort: sortedBy(["id", "name", "label"]),
});

export type ContentTypeCreate = z.output<typeof ContentTypeCreate>;
export type ContentTypeUpdate = z.output<typeof ContentTypeUpdate>;
export type ContentType = z.input<typeof ContentType>;
