import * as z from "zod";
import { Instant } from "../platform/fields.ts";

export const CalendarState = z
  .object({
    created_at: Instant.nullable().meta({
      description: "When the address was made; null when there is none",
    }),
  })
  .meta({ id: "CalendarState" });

export const CalendarAddress = z
  .object({
    url: z.string().meta({
      description:
        "For a calendar program. Whoever knows it reads the dates; it is told this once, and kept as a hash",
      example: "https://learn.example.edu/api/v1/users/calendars/4mJx…/dates.ics",
    }),
    created_at: Instant,
  })
  .meta({ id: "CalendarAddress" });

export type CalendarState = z.input<typeof CalendarState>;
export type CalendarAddress = z.input<typeof CalendarAddress>;
