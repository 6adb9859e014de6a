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
      "The content, of at most 256 KiB. The known keys are those of its content type, and others are kept as they are",
  }),
  estimated_duration_seconds: integer(0).nullable(),
  sequence_index: Position.meta({
    description: "The position within the module; the last one if it is absent",
  }),
  tutor_line: TutorLine,
  tutor_mode: upperEnum(tutorModes).meta({
    description:
      "`REVIEWED`: a new shared answer of the tutor waits until staff approve it, and learners who come there meanwhile are answered in private. What is stored by then stays as it is",
  }),
  is_active: z.boolean().meta({ description: "False retires the item: students no longer see it" }),
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
        "Wanted where the points of the item change and scores stand: `true` scales them to the new points, `false` leaves them as they are. Attempts at a quiz are scaled in either case, final grades in neither",
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
      description:
        "The keys of `x-audience` `staff`, and those that are not named, are there for staff alone",
    }),
    sequence_index: z.int(),
    estimated_duration_seconds: z.int().nullable(),
    tutor_line: TutorLineShown,
    tutor_mode: upperEnum(tutorModes).meta({
      description:
        "Whether learners are told a new shared answer of the tutor at once, or once staff approved it",
    }),
    is_active: z.boolean(),
    available_from: Instant.nullable(),
    due_at: Instant.nullable(),
    origin_item_id: Id.nullable().meta({
      description: "The item that this one was copied from, whose stored answers of the tutor it takes over",
    }),
    people_shown_in: z.array(Id).optional().meta({
      description:
        "To staff who read or change an item that says `anonymous`: the offerings whose grades of it are released, where it hides nobody until the release is withdrawn. Absent where there is none",
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
      description: "Left out of a summary, and of what the caller may not work with",
    }),
  })
  .meta({ id: "ListedContentItem" });

export const ContentListQuery = z.object({
  fields: lowerEnum(["all", "summary"])
    .default("all")
    .meta({ description: "`summary` leaves out `data_json`" }),
  ...optionalWindow,
});

export const ContentQuery = z.object({
  as_learner: z
    .stringbool()
    .default(false)
    .meta({ type: "boolean", description: "Without what only staff may see, for staff too: a preview" }),
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
