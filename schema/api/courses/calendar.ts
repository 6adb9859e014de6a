import * as z from "zod";
import { Instant } from "../platform/fields.ts";

export const CalendarState = z
  .object({
    created_at: Instant.nullable().meta({
      description: "When the address was created; null if there is none",
    }),
  })
  .meta({ id: "CalendarState" });

export const CalendarAddress = z
  .object({
    url: z.string().meta({
      description:
        "Address for calendar programs. It gives access to the dates without sign-in, is returned only " +
        "once, and is stored as a hash",
      example: "https://learn.example.edu/api/v1/users/calendars/4mJx…/dates.ics",
    }),
    created_at: Instant,
  })
  .meta({ id: "CalendarAddress" });

export type CalendarState = z.input<typeof CalendarState>;
export type CalendarAddress = z.input<typeof CalendarAddress>;
