import * as z from "zod";
import { CalendarDate, Id, Instant, title } from "./fields.ts";

/** A well-formed BCP 47 language tag, such as `en` or `pt-BR`. */
export const Locale = z
  .string()
  .max(16)
  .refine(isWellFormedLocale, "Input should be a language tag such as en or pt-BR")
  .meta({ example: "en" });

/** A time zone of the IANA database, such as `Europe/London`. */
export const TimeZone = z
  .string()
  .max(64)
  .refine(isKnownTimeZone, "Input should be a time zone such as Europe/London")
  .meta({ example: "Europe/London" });

export const Profile = z
  .object({
    id: Id,
    email: z.string(),
    full_name: z.string(),
    is_active: z.boolean(),
    locale: z.string(),
    time_zone: z.string(),
    current_streak_days: z.int(),
    last_activity_date: CalendarDate.nullable(),
    created_at: Instant,
  })
  .meta({ id: "Profile" });

export const ProfileUpdate = z
  .object({ full_name: title(255), locale: Locale, time_zone: TimeZone })
  .partial()
  .meta({ id: "ProfileUpdate" });

export type Profile = z.input<typeof Profile>;
export type ProfileUpdate = z.output<typeof ProfileUpdate>;

function isWellFormedLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Offsets such as `+01:00` are zones to JavaScript, and not to the IANA database. */
function isKnownTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}
