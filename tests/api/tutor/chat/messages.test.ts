import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

async function conversation(count: number) {
  const { item } = await make.topic();
  const client = world.as(await make.person());
  const session = await openSession(client, item.id);
  await world.deps.db.execute(sql`
    insert into chat_messages (session_id, role, content)
    select ${session.id}, 'user', number::text from generate_series(1, ${count}) as number`);
  const page = async (query = "") => (await client.get(`/chat/sessions/${session.id}/messages${query}`)).body;
  return { client, session, page };
}

type Page = { messages: { id: number; content: string }[]; has_more: boolean };

const numbersOf = ({ messages }: Page) => messages.map(({ content }) => Number(content));
const numbersIn = ({ messages }: Page) => messages.map(({ content }) => Number.parseInt(content, 10));
const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe("the messages of a long conversation", () => {
  it("are its newest 100 in the session and in the shared view, which say that there are more", async () => {
    const { client, session } = await conversation(101);
    const read: Page = await session.read();
    expect(numbersOf(read)).toEqual(numbers(2, 101));
    expect(read.has_more).toBe(true);
    const { share_token } = (await client.post(`/chat/sessions/${session.id}/share`)).body;
    const shared: Page = (await world.as().get(`/chat/share/${share_token}`)).body;
    expect(numbersOf(shared)).toEqual(numbers(2, 101));
    expect(shared.has_more).toBe(true);
  });

  it("are returned completely up to 100", async () => {
    const { session, page } = await conversation(100);
    for (const read of [await session.read(), await page()]) {
      expect(numbersOf(read)).toEqual(numbers(1, 100));
      expect(read.has_more).toBe(false);
    }
  });

  it("are read back by pages, oldest first, each once", async () => {
    const { page } = await conversation(105);
    const newest: Page = await page();
    expect(numbersOf(newest)).toEqual(numbers(6, 105));
    const before = `before=${newest.messages[0]?.id}`;
    const older: Page = await page(`?${before}&limit=3`);
    expect(numbersOf(older)).toEqual([3, 4, 5]);
    expect(older.has_more).toBe(true);
    const oldest: Page = await page(`?before=${older.messages[0]?.id}&limit=3`);
    expect(oldest).toMatchObject({ messages: [{ content: "1" }, { content: "2" }], has_more: false });
    expect(await page(`?before=${oldest.messages[0]?.id}`)).toEqual({ messages: [], has_more: false });
  });

  it("are empty for a new conversation; another person's are a 403, a missing one's a 404", async () => {
    const { page, session } = await conversation(0);
    expect(await page()).toEqual({ messages: [], has_more: false });
    const other = world.as(await make.person());
    expect((await other.get(`/chat/sessions/${session.id}/messages`)).status).toBe(403);
    expect((await other.get("/chat/sessions/2000000000/messages")).status).toBe(404);
  });

  it("are limited by size if they are long, and the rest is paginated", async () => {
    const { client, session, page } = await conversation(0);
    // A hundred messages of 10 000 characters; each character takes six bytes as JSON.
    await world.deps.db.execute(sql`
      insert into chat_messages (session_id, role, content)
      select ${session.id}, 'user', number || repeat(chr(1), 10000) from generate_series(1, 100) as number`);
    const { share_token } = (await client.post(`/chat/sessions/${session.id}/share`)).body;
    const shared = await world.as().get(`/chat/share/${share_token}`);
    expect(shared.body).toMatchObject({ has_more: true });
    const read: Page = await session.read();
    expect(read.has_more).toBe(true);
    let [oldest] = read.messages;
    const found = read.messages.length;
    expect(shared.body.messages).toHaveLength(found);
    expect(numbersIn(read)).toEqual(numbers(101 - found, 100));
    let count = found;
    for (let older = read; older.has_more; count += older.messages.length) {
      older = await page(`?before=${oldest?.id}`);
      [oldest] = older.messages;
    }
    expect(count).toBe(100);
    expect(Number.parseInt(oldest?.content ?? "", 10)).toBe(1);
  });

  it("are paginated by 100", async () => {
    const { client, session } = await conversation(0);
    for (const query of ["limit=0", "limit=101", "before=x"])
      expect((await client.get(`/chat/sessions/${session.id}/messages?${query}`)).status).toBe(422);
  });
});
