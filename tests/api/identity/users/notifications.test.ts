import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { createNotificationsAndQueueMails } from "../../../../lib/courses/notifications/process-notifications.ts";
import type { Client } from "../../../support/client.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { makersOf } from "../../../support/makers.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld({
  PUBLIC_URL: "https://learn.example.edu/lms",
  // Long-lived tokens: the clock advances by a day.
  ACCESS_TOKEN_EXPIRE_MINUTES: "10000",
});
const make = makersOf(world);
const mailbox = mailboxOf(world);

const now = "2026-03-10T12:00:00.000Z";
let ada: Client;
let ben: Client;
let adaId: number;
let address: string;
let posts: string;

const list = "/users/me/notifications";
const read = async (query = "") => (await ada.get(list + query)).body;
const notice = () => createNotificationsAndQueueMails(world.deps, noDeadline());

/** Ada starts a thread and Ben answers in it. Her address is verified. */
beforeAll(async () => {
  world.setNow(now);
  const topic = await make.topic();
  const [one, other] = [await make.person(), await make.person({ full_name: "Ben\nBcc: eve@example.edu" })];
  for (const { id } of [one, other]) await make.enrollment(id, topic.offering.id);
  [ada, ben, adaId] = [world.as(one), world.as(other), one.id];
  const { rows } = await world.deps.db.execute(
    sql`update users set email_verified_at = now() where id = ${adaId} returning email`,
  );
  address = String(rows[0]?.["email"]);
  const thread = await ada.post(`/community/offerings/${topic.offering.id}/threads`, {
    title: "Beats",
    body: "Why?",
  });
  posts = `/community/threads/${thread.body.id}/posts`;
});

const answer = async () => (await ben.post(posts, { body: "Because." })).body.id as number;

describe("notifications", () => {
  it("report an answer, page by id, and are marked one by one or up to one", async () => {
    const ids = [await answer(), await answer(), await answer()];
    const first = await read("?limit=2");
    expect(first).toMatchObject({ has_more: true, unread_count: 3 });
    expect(first.notifications).toMatchObject([
      { kind: "discussion_reply", title: "Beats", post_id: ids[2], read_at: null, created_at: now },
      { post_id: ids[1] },
    ]);
    const [newest, second] = first.notifications;
    const rest = await read(`?before=${second.id}&kind=discussion_reply`);
    expect(rest).toMatchObject({ has_more: false, notifications: [{ post_id: ids[0] }] });
    expect((await read("?kind=due_soon")).notifications).toEqual([]);

    const mark = async (body: object, client = ada) => (await client.post(`${list}/read`, body)).body;
    expect(await mark({ ids: [newest.id] }, ben)).toEqual({ unread_count: 0 });
    expect(await mark({ ids: [newest.id] })).toEqual({ unread_count: 2 });
    expect((await read("?unread=true")).notifications).toHaveLength(2);
    expect(await mark({ up_to: second.id })).toEqual({ unread_count: 0 });
    expect((await ada.post(`${list}/read`, {})).status).toBe(422);
  });

  it("of a disabled kind are not in the list, and the others are", async () => {
    await answer();
    const preferences = "/users/me/notification-preferences";
    const all = (await ada.get(preferences)).body;
    expect(all).toMatchObject({ discussion_reply: { in_app: true, mail: "daily" } });
    const changed = await ada.put(preferences, { discussion_reply: { in_app: false } });
    expect(changed.body).toEqual({ ...all, discussion_reply: { in_app: false, mail: "daily" } });
    expect(await read()).toMatchObject({ notifications: [], unread_count: 0 });
    expect((await ada.put(preferences, all)).body).toEqual(all);
    expect((await read()).unread_count).toBe(1);
    const refused = await ada.put(preferences, { discussion_reply: { mail: "hourly" } });
    expect(refused.body.detail[0].loc).toEqual(["body", "discussion_reply", "mail"]);
  });
});

describe("mail about notifications", () => {
  const sentTo = () => mailbox.mails.filter(({ to }) => to === address);

  it("is sent once a day as one mail, with unread ones, one line for each", async () => {
    world.setNow(now);
    await answer();
    await notice();
    await mailbox.send();
    expect(sentTo()).toEqual([]);
    world.setNow("2026-03-11T07:00:00.000Z");
    for (let round = 0; round < 2; round++) {
      await notice();
      await mailbox.send();
    }
    expect(sentTo()).toHaveLength(1);
    const [mail] = sentTo();
    expect(mail?.subject).toBe("2 notifications");
    expect(
      mail?.text.split("\n").filter((line) => line.startsWith("- Ben Bcc: eve@example.edu replied in Beats")),
    ).toHaveLength(2);
  });

  it("is not sent if everything was read before", async () => {
    await ada.put("/users/me/notification-preferences", { discussion_reply: { mail: "immediate" } });
    await answer();
    await notice();
    const [{ id } = { id: 0 }] = (await read()).notifications;
    await ada.post(`${list}/read`, { up_to: id });
    await mailbox.send();
    expect(sentTo()).toHaveLength(1);
  });

  it("is sent immediately, and then with everything since, however much others write", async () => {
    const before = sentTo().length;
    const round = async () => {
      await notice();
      await mailbox.send();
    };
    for (let time = 0; time < 5; time++) {
      await answer();
      await round();
    }
    expect(sentTo()).toHaveLength(before);
    world.setNow("2026-03-11T07:05:00.000Z");
    await round();
    expect(sentTo()).toHaveLength(before + 1);
    expect(sentTo().at(-1)?.subject).toBe("5 notifications");
    world.setNow("2026-03-11T07:10:00.000Z");
  });

  it("is disabled by one click, without signing in, by the mail's reader only", async () => {
    await answer();
    await notice();
    await mailbox.send();
    const headers = sentTo().at(-1)?.headers ?? {};
    expect(headers["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
    const [, path = ""] =
      /^<https:\/\/learn\.example\.edu\/lms\/api\/v1(\/users\/notification-mail\/[\w.-]+\/stop)>$/.exec(
        headers["List-Unsubscribe"] ?? "",
      ) ?? [];
    const nobody = world.as();
    const mails = async () =>
      (await ada.get("/users/me/notification-preferences")).body.discussion_reply.mail;

    const page = await nobody.get(path);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect([page.status, page.text.includes('method="post"'), await mails()]).toEqual([
      200,
      true,
      "immediate",
    ]);
    const forged = path.replace(`/${adaId}.`, `/${adaId + 1}.`);
    for (const other of [forged, path.replace("/stop", "x/stop"), "/users/notification-mail/x/stop"])
      expect((await nobody.post(other)).status).toBe(404);
    expect(await mails()).toBe("immediate");
    expect((await nobody.post(path, "List-Unsubscribe=One-Click")).status).toBe(200);
    expect(await mails()).toBe("off");
    expect(world.log.map(({ path: logged }) => logged)).toContain(
      "/api/v1/users/notification-mail/[hidden]/stop",
    );
    await answer();
    await notice();
    expect((await mailbox.send()).sent).toBe(0);
  });
});
