import * as z from "zod";
import * as addresses from "../../../lib/courses/calendar/calendar-feed-secrets.ts";
import { getCalendarBySecret } from "../../../lib/courses/calendar/feed.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { anyone, signedInWithFullReach } from "../../../lib/identity/auth/guards.ts";
import { CalendarAddress, CalendarState } from "../../../schema/api/courses/calendar.ts";
import { text } from "../../../schema/api/platform/fields.ts";

export const getMyCalendar = endpoint(
  {
    id: "getMyCalendar",
    method: "get",
    path: "/me/calendar",
    summary: "Read the calendar subscription",
    description: "The address itself is returned only when it is created.",
    ...signedInWithFullReach,
    ...ok(CalendarState, "When the address was created"),
  },
  ({ deps, actor }) => addresses.getCalendarSecretCreationTime(deps.db, actor),
);

export const createMyCalendarAddress = endpoint(
  {
    id: "createMyCalendarAddress",
    method: "post",
    path: "/me/calendar",
    summary: "Create a calendar address",
    description:
      "Calendar programs read it without signing in, so treat it like a password. A new address replaces " +
      "the former one. It becomes invalid when all tokens of the person are revoked.",
    ...signedInWithFullReach,
    ...created(CalendarAddress, "The address, returned only once"),
  },
  async ({ deps, actor, http }) => {
    const { secret, created_at } = await addresses.createCalendarSecret(deps.db, actor, deps.now());
    const base = `${publicUrl(http, deps.config)}${deps.config.API_V1_PREFIX}`;
    return { url: `${base}/users/calendars/${secret}/dates.ics`, created_at };
  },
);

export const deleteMyCalendarAddress = endpoint(
  {
    id: "deleteMyCalendarAddress",
    method: "delete",
    path: "/me/calendar",
    summary: "Delete the calendar address",
    ...signedInWithFullReach,
    ...noContent("The address is no longer valid"),
  },
  ({ deps, actor }) => addresses.revokeCalendarSecret(deps.db, actor),
);

const example = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n…\r\nEND:VCALENDAR";

export const getCalendar = endpoint(
  {
    id: "getCalendar",
    method: "get",
    path: "/calendars/{calendar_token}/dates.ics",
    summary: "Read a calendar as iCalendar",
    description:
      "Due dates, quiz openings, and starts and ends of the offerings that the person takes or teaches. " +
      "Covers the last 60 and the next 400 days, at most 1000 entries.",
    ...anyone,
    params: z.object({ calendar_token: text(64) }),
    answer: {
      status: 200,
      description: "The calendar",
      schema: undefined,
      also: { "text/calendar": example },
    },
    fails: [404],
  },
  async ({ deps, params, http }) => {
    const named = { name: deps.config.APP_NAME, now: deps.now() };
    const calendar = await getCalendarBySecret(deps.db, params.calendar_token, named);
    return http.body(calendar, 200, {
      "Content-Type": "text/calendar; charset=utf-8",
      "Cache-Control": "private, max-age=900",
    });
  },
);
