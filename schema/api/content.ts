import * as z from "zod";
import { Id, Instant, integer, JsonObject, text, title } from "./fields.ts";

const writableFields = {
  module_id: Id.meta({ description: "A module of the item's course" }),
  content_type_id: Id,
  title: title(255).meta({ example: "Why samples lie" }),
  description: text(100_000).nullable(),
  data_json: JsonObject.meta({ description: "The content; its known keys depend on the content type" }),
  estimated_duration_seconds: integer(0).nullable(),
  sequence_index: integer(0).meta({
    description: "The position within the module; the last one if it is absent",
  }),
  is_active: z.boolean().meta({ description: "False retires the item: students no longer see it" }),
};

export const ContentItemCreate = z
  .object({ ...writableFields, course_id: Id })
  .partial({ description: true, estimated_duration_seconds: true, sequence_index: true, is_active: true })
  .meta({ id: "ContentItemCreate" });

export const ContentItemUpdate = z.object(writableFields).partial().meta({ id: "ContentItemUpdate" });

/** A piece of content in a module. */
export const ContentItem = z
  .object({
    id: Id,
    module_id: Id,
    course_id: Id,
    university_id: Id,
    content_type_id: Id,
    content_type: z.object({
      name: z.string().meta({ example: "video" }),
      label: z.string().meta({ example: "Video" }),
    }),
    title: z.string(),
    description: z.string().nullable(),
    data_json: JsonObject.meta({ description: "Without what only staff may see, for everyone else" }),
    sequence_index: z.int(),
    estimated_duration_seconds: z.int().nullable(),
    is_active: z.boolean(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "ContentItem" });

export const ContentOrder = z
  .object({ content_ids: z.array(Id).min(1).meta({ description: "Items of one module in their new order" }) })
  .meta({ id: "ContentOrder" });

export type ContentItemCreate = z.output<typeof ContentItemCreate>;
export type ContentItemUpdate = z.output<typeof ContentItemUpdate>;
export type ContentItem = z.input<typeof ContentItem>;
