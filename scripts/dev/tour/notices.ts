import type { Browser } from "../../ops/smoke/browser.ts";
import { expect } from "../../ops/smoke/expect.ts";
import type { Learner } from "./learner.ts";
import type { Facts } from "./report.ts";
import type { Topic } from "./topic.ts";

/** The instructor announces something to the class. */
export async function announce(instructor: Browser, { offeringId }: Topic): Promise<Facts> {
  const news = { title: "The lab moves to room 7", body: "From Tuesday on we meet there." };
  const reply = await instructor.send("POST", `/community/offerings/${offeringId}/announcements`, news);
  expect(reply.status === 201, `the announcement answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply;
}

/** A learner finds one unread announcement at home, and reads it. */
export async function readAnnouncement({ browser }: Learner): Promise<Facts> {
  const list = await browser.send("GET", "/community/announcements?unread=true");
  const [unread, ...more] = list.body as { id: number }[];
  expect(
    unread && more.length === 0,
    `there are ${more.length + (unread ? 1 : 0)} unread announcements, not 1`,
  );
  const reply = await browser.send("PUT", `/community/announcements/${unread.id}/read`);
  expect(reply.status === 204, `reading answered ${reply.status}`);
  const home = (await browser.send("GET", "/users/me/home")).body as { unread_announcements: number };
  expect(home.unread_announcements === 0, "the announcement is still unread");
  return reply;
}

type Notified = { notifications: { id: number; by_name: string | null }[]; unread_count: number };

/** A learner sees the notification of a reply. */
export async function seeAnswer({ browser }: Learner, answeredBy: string): Promise<Facts> {
  const list = await browser.send("GET", "/users/me/notifications?kind=discussion_reply");
  const [newest] = (list.body as Notified).notifications;
  expect(newest?.by_name === answeredBy, `the notification is of ${newest?.by_name}, not of ${answeredBy}`);
  const seen = await browser.send("POST", "/users/me/notifications/read", { ids: [newest.id] });
  expect(seen.status === 200, `marking it as read answered ${seen.status}`);
  return list;
}

/** A calendar program reads a learner's calendar feed without signing in. */
export async function readCalendar({ browser }: Learner, program: Browser): Promise<Facts> {
  const made = await browser.send("POST", "/users/me/calendar");
  const { pathname } = new URL((made.body as { url: string }).url);
  const reply = await program.send("GET", pathname.slice(pathname.indexOf("/users/")));
  expect(String(reply.body).startsWith("BEGIN:VCALENDAR"), `the calendar answered ${reply.status}`);
  return reply;
}
