import * as z from "zod";
import { tutorModes } from "../../enums.ts";
import { holdsContent } from "../platform/data-json.ts";
import {
  Description,
  Id,
  Instant,
  integer,
  JsonObject,
  list,
  lowerEnum,
  optionalWindow,
  Position,
  storedJsonObject,
  title,
  upperEnum,
  Version,
} from "../platform/fields.ts";
import { TutorLine, TutorLineShown } from "../tutor/tutor-notes.ts";
import { dates, dueFollowsAvailable } from "./dates.ts";

const writableFields = {
  module_id: Id.meta({ description: "A module of the item's course" }),
  content_type_id: Id,
  title: title(255).meta({ example: "Why samples lie" }),
  description: Description.nullable(),
  data_json: storedJsonObject(256).meta({
    ...holdsContent,
    description:
      "The content, at most 256 KiB. Known keys are those of its content type; other keys are kept " +
      "unchanged",
  }),
  estimated_duration_seconds: integer(0).nullable(),
  sequence_index: Position.meta({
    description: "The position within the module; by default the last",
  }),
  tutor_line: TutorLine,
  tutor_mode: upperEnum(tutorModes).meta({
    description:
      "`REVIEWED`: a new shared answer awaits approval by staff; until then, learners get private " +
      "answers. Existing answers stay shared",
  }),
  is_active: z.boolean().meta({ description: "False retires the item: learners no longer see it" }),
  ...dates,
};

export const ContentItemCreate = z
  .object({ ...writableFields, course_id: Id })
  .partial({
    description: true,
    estimated_duration_seconds: true,
    tutor_line: true,
    tutor_mode: true,
    sequence_index: true,
    is_active: true,
    available_from: true,
    due_at: true,
  })
  .check(dueFollowsAvailable)
  .meta({ id: "ContentItemCreate" });

export const ContentItemUpdate = z
  .object({
    ...writableFields,
    rescale: z.boolean().meta({
      description:
        "Required if the item's points change and scores exist: `true` scales the scores to the new points, " +
        "`false` keeps them. Quiz attempts are always scaled, final grades never",
    }),
  })
  .partial()
  .check(dueFollowsAvailable)
  .meta({ id: "ContentItemUpdate" });

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
    data_json: JsonObject.meta({
      ...holdsContent,
      description: "Keys with `x-audience` `staff`, and unknown keys, are only for staff",
    }),
    sequence_index: z.int(),
    estimated_duration_seconds: z.int().nullable(),
    tutor_line: TutorLineShown,
    tutor_mode: upperEnum(tutorModes).meta({
      description: "When learners receive a new shared answer: immediately or after approval by staff",
    }),
    is_active: z.boolean(),
    available_from: Instant.nullable(),
    due_at: Instant.nullable(),
    origin_item_id: Id.nullable().meta({
      description: "The original of a copied item, whose stored tutor answers it uses",
    }),
    people_shown_in: z
      .array(Id)
      .optional()
      .meta({
        description:
          "For staff of an `anonymous` item: the offerings with released grades, in which names are shown " +
          "until the release is withdrawn. Absent if there are none",
      }),
    version: Version,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "ContentItem" });

/** An item in a list, with or without its data. */
export const ListedContentItem = z
  .object({
    ...ContentItem.omit({ people_shown_in: true }).shape,
    data_json: ContentItem.shape.data_json.optional().meta({
      ...holdsContent,
      description: "Omitted from summaries, and from items that the caller cannot open",
    }),
  })
  .meta({ id: "ListedContentItem" });

export const ContentListQuery = z.object({
  fields: lowerEnum(["all", "summary"]).default("all").meta({ description: "`summary` omits `data_json`" }),
  ...optionalWindow,
});

export const ContentQuery = z.object({
  as_learner: z.stringbool().default(false).meta({
    type: "boolean",
    description: "Whether staff receive the item as learners see it, for a preview",
  }),
});

export const ContentOrder = z
  .object({
    content_ids: list(Id, { min: 1, max: 10_000 }).meta({
      description: "Items of one module in their new order",
    }),
  })
  .meta({ id: "ContentOrder" });

export type ContentItemCreate = z.output<typeof ContentItemCreate>;
export type ContentItemUpdate = z.output<typeof ContentItemUpdate>;
export type ListedContentItem = z.input<typeof ListedContentItem>;
export type ContentListQuery = z.output<typeof ContentListQuery>;
export type ContentItem = z.input<typeof ContentItem>;
