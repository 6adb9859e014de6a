import * as z from "zod";
import { Id, Instant, lowerEnum, paginationOf, title } from "../platform/fields.ts";
import { ofGroup } from "./groups.ts";
import { CourseLanguage } from "./summaries.ts";

const writableFields = {
  title: title(255).meta({ example: "The lab moves to room 7" }),
  body: title(10_000).meta({
    example: "From Tuesday on we meet in room 7, on the second floor.",
    description: "Plain text; markup is not interpreted",
  }),
  published_at: Instant.meta({
    description: "When readers see the announcement and are notified; may be in the future. Default: now",
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
    course_offering_id: Id.nullable().meta({
      description: "Null for an announcement to the whole university",
    }),
    language_code: CourseLanguage,
    title: z.string(),
    body: z.string().meta({ description: "Plain text" }),
    created_by_user_id: Id.nullable().meta({ description: "Null if the author's account was erased" }),
    created_by_name: z.string().nullable(),
    published_at: Instant,
    read_at: Instant.nullable().meta({ description: "When the caller read it; null if unread" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Announcement" });

export const AnnouncementQuery = z.object({
  unread: lowerEnum(["true", "false"])
    .default("false")
    .meta({ description: "`true` returns only announcements that the caller has not read" }),
  ...paginationOf({ limit: 20, max: 100 }),
});

export const OfferingAnnouncementQuery = AnnouncementQuery.extend({ group_id: ofGroup });

export type OfferingAnnouncementQuery = z.output<typeof OfferingAnnouncementQuery>;
export type AnnouncementCreate = z.output<typeof AnnouncementCreate>;
export type AnnouncementUpdate = z.output<typeof AnnouncementUpdate>;
export type AnnouncementQuery = z.output<typeof AnnouncementQuery>;
export type Announcement = z.input<typeof Announcement>;
