import * as z from "zod";
import { Id, Instant, lowerEnum, paginationOf, title } from "../platform/fields.ts";
import { ofGroup } from "./groups.ts";
import { CourseLanguage } from "./summaries.ts";

const writableFields = {
  title: title(255).meta({ example: "The lab moves to room 7" }),
  body: title(10_000).meta({
    example: "From Tuesday on we meet in room 7, on the second floor.",
    description: "Plain text, whatever it looks like",
  }),
  published_at: Instant.meta({
    description: "From when on its readers see it, and are told; it may lie ahead. Now, if it is absent",
  }),
};

export const AnnouncementCreate = z
  .object(writableFields)
  .partial({ published_at: true })
  .meta({ id: "AnnouncementCreate" });

export const AnnouncementUpdate = z.object(writableFields).partial().meta({ id: "AnnouncementUpdate" });

export const Announcement = z
  .object({
    id: Id,
    university_id: Id,
    course_offering_id: Id.nullable().meta({ description: "Null when it is for the whole university" }),
    language_code: CourseLanguage,
    title: z.string(),
    body: z.string().meta({ description: "Plain text" }),
    created_by_user_id: Id.nullable().meta({ description: "Null when the person has left for ever" }),
    created_by_name: z.string().nullable(),
    published_at: Instant,
    read_at: Instant.nullable().meta({ description: "When the caller read it; null when they have not" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Announcement" });

export const AnnouncementQuery = z.object({
  unread: lowerEnum(["true", "false"])
    .default("false")
    .meta({ description: "`true`: those that the caller has not read" }),
  ...paginationOf({ limit: 20, max: 100 }),
});

export const OfferingAnnouncementQuery = AnnouncementQuery.extend({ group_id: ofGroup });

export type OfferingAnnouncementQuery = z.output<typeof OfferingAnnouncementQuery>;
export type AnnouncementCreate = z.output<typeof AnnouncementCreate>;
export type AnnouncementUpdate = z.output<typeof AnnouncementUpdate>;
export type AnnouncementQuery = z.output<typeof AnnouncementQuery>;
export type Announcement = z.input<typeof Announcement>;
