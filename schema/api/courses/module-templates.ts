import * as z from "zod";
import { moduleTypes } from "../../enums.ts";
import {
  Description,
  Id,
  IdText,
  Instant,
  JsonObject,
  storedJsonObject,
  title,
  upperEnum,
} from "../platform/fields.ts";
import { BooleanText, listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

/** Values of a template's `default_data` for new modules; other keys are free. */
export const ModuleDefaults = z
  .object({ description: Description.nullable(), is_published: z.boolean() })
  .partial();

const writableFields = {
  template_type: upperEnum(moduleTypes).meta({
    description: "Type of the modules created from the template",
    example: "UNIT",
  }),
  title: title(255).meta({ example: "Weekly unit" }),
  description: Description.nullable(),
  default_data: storedJsonObject(16, z.looseObject(ModuleDefaults.shape))
    .nullable()
    .meta({
      description:
        "Its `description` and `is_published` are the defaults for new modules. Other keys are kept " +
        "unchanged. At most 16 KiB of JSON",
    }),
};

const university = Id.nullable().meta({
  description: "The owner; null for templates that the platform shares with all universities",
});

export const ModuleTemplateCreate = z
  .object({ ...writableFields, university_id: university })
  .partial({ description: true, default_data: true, university_id: true })
  .meta({ id: "ModuleTemplateCreate" });

export const ModuleTemplateUpdate = z.object(writableFields).partial().meta({ id: "ModuleTemplateUpdate" });

export const ModuleTemplate = z
  .object({
    id: Id,
    university_id: university,
    template_type: upperEnum(moduleTypes),
    title: z.string(),
    description: z.string().nullable(),
    default_data: JsonObject.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "ModuleTemplate" });

export const ModuleTemplateQuery = listQuery({
  q: searchIn("the title"),
  university_id: IdText.optional(),
  is_shared: BooleanText.optional().meta({
    description: "`true`: only templates that the platform shares; `false`: only those of universities",
  }),
  template_type: upperEnum(moduleTypes).optional(),
  sort: sortedBy(["id", "title"]),
});

export type ModuleDefaults = z.output<typeof ModuleDefaults>;
export type ModuleTemplateCreate = z.output<typeof ModuleTemplateCreate>;
export type ModuleTemplateUpdate = z.output<typeof ModuleTemplateUpdate>;
export type ModuleTemplate = z.input<typeof ModuleTemplate>;
