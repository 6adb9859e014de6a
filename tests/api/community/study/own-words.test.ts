import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function conversation(client: Client, item: number, said: [role: string, content: string][]) {
  const { body } = await client.post("/chat/sessions", { content_item_id: item });
  const session: number = body.id;
  for (const [role, content] of said)
    await world.deps.db.execute(
      sql`insert into chat_messages (session_id, role, content) values (${session}, ${role}, ${content})`,
    );
  return session;
}

type Topic = Awaited<ReturnType<typeof make.topic>>;
let topic: Topic;
let me: Client;
let other: Client;
let session: number;

beforeAll(async () => {
  topic = await make.topic();
  const [learner, classmate] = [await make.person(), await make.person()];
  for (const { id } of [learner, classmate]) await make.enrollment(id, topic.offering.id);
  [me, other] = [world.as(learner), world.as(classmate)];
  const note = { content_item_id: topic.item.id, body: "Straßen und Wellen: die Überlagerung" };
  for (const client of [me, other]) expect((await client.post("/study/notes", note)).status).toBe(201);
  const card = { front: "What is a wave?", back: "What Überlagerung needs", content_item_id: topic.item.id };
  await me.post("/study/flashcards", card);
  await me.post("/study/flashcards", { front: "Überlagerung of one's own", back: "…" });
  session = await conversation(me, topic.item.id, [
    ["user", "Start."],
    ["assistant", 'Waves meet: Überlagerung.\n```mcq\n{"hidden": "needle"}\n```'],
    ["user", '{"questionId": "needle", "answer": "needle"}'],
    ["user", "Why überlagerung, and why waves?"],
  ]);
  await conversation(other, topic.item.id, [["user", "Überlagerung is my secret"]]);
});

const find = async (client: Client, query: string) => (await client.get(`/study/search?${query}`)).body;

describe("GET /study/search", () => {
  it("finds notes, cards and messages, without regard to case and accents, and marks the words", async () => {
    const { notes, flashcards, messages } = await find(me, "q=UBERLAGERUNG");
    const place = {
      content_item_id: topic.item.id,
      course_id: topic.course.id,
      course_offering_id: topic.offering.id,
      title: topic.item.title,
    };
    expect(notes.items).toMatchObject([
      { ...place, excerpt: "Straßen und Wellen: die Überlagerung", marks: [{ start: 24, end: 36 }] },
    ]);
    expect(flashcards.items).toMatchObject([{ title: null, content_item_id: null }, place]);
    expect(messages.items).toMatchObject([
      { ...place, session_id: session, excerpt: "Why überlagerung, and why waves?" },
      { ...place, session_id: session, excerpt: "Waves meet: Überlagerung." },
    ]);
    expect([notes.before, flashcards.before, messages.before]).toEqual([null, null, null]);
  });

  it("needs all words, in any order, and skips choices and the model's machine-readable parts", async () => {
    expect((await find(me, "q=wellen%20strasen")).notes.items).toHaveLength(1);
    expect((await find(me, "q=wellen%20berge")).notes.items).toEqual([]);
    expect((await find(me, "q=needle")).messages.items).toEqual([]);
    expect((await find(me, "q=50%25%20_")).notes.items).toEqual([]);
  });

  it("finds no texts of other users for any role, and no deleted ones", async () => {
    expect((await find(other, "q=uberlagerung")).messages.items).toMatchObject([
      { excerpt: "Überlagerung is my secret" },
    ]);
    const admin = world.as(await make.holder("platform_admin", topic.university.id));
    const nothing = { items: [], before: null };
    expect(await find(admin, "q=uberlagerung")).toEqual({
      ...{ notes: nothing, flashcards: nothing, messages: nothing },
    });
    const gone = await conversation(me, topic.item.id, [["user", "A vanishing word"]]);
    expect((await find(me, "q=vanishing")).messages.items).toHaveLength(1);
    expect((await me.delete(`/chat/sessions/${gone}`)).status).toBe(204);
    expect((await find(me, "q=vanishing")).messages.items).toEqual([]);
  });

  it("continues by kind, each once", async () => {
    const seen: number[] = [];
    for (let before: number | null = 0; before !== null; ) {
      const { messages, notes } = await find(
        me,
        `q=wave&kind=MESSAGE&limit=1${before ? `&before=${before}` : ""}`,
      );
      expect(notes.items).toEqual([]);
      seen.push(...messages.items.map(({ id }: { id: number }) => id));
      before = messages.before;
    }
    expect(seen).toHaveLength(2);
    expect(seen).toEqual([...seen].sort((a, b) => b - a));
  });

  it("continues from an id before all notes", async () => {
    const { notes } = await find(me, `q=wave&kind=NOTE&before=${Number.MAX_SAFE_INTEGER}`);
    expect(notes.items).toHaveLength((await find(me, "q=wave&kind=NOTE")).notes.items.length);
  });

  it("scans five hundred at a time, and returns where to continue", async () => {
    const writer = await make.person();
    await make.enrollment(writer.id, topic.offering.id);
    const long = await conversation(world.as(writer), topic.item.id, [["user", "The first needle"]]);
    await world.deps.db.execute(sql`
      insert into chat_messages (session_id, role, content)
      select ${long}, 'user', 'hay ' || n from generate_series(1, 700) as n`);
    const first = await find(world.as(writer), "q=needle");
    expect([first.messages.items, typeof first.messages.before]).toEqual([[], "number"]);
    const second = await find(world.as(writer), `q=needle&kind=MESSAGE&before=${first.messages.before}`);
    expect(second.messages).toMatchObject({ items: [{ excerpt: "The first needle" }], before: null });
  });

  it("finds only topics that the caller may open now; cards stay the caller's", async () => {
    const closed = await make.topic();
    const learner = await make.person();
    await make.enrollment(learner.id, closed.offering.id);
    const client = world.as(learner);
    await client.post("/study/notes", { content_item_id: closed.item.id, body: "A gated word" });
    await client.post("/study/flashcards", {
      content_item_id: closed.item.id,
      front: "A gated word",
      back: "b",
    });
    await conversation(client, closed.item.id, [["user", "A gated word"]]);
    const counts = async () => {
      const { notes, flashcards, messages } = await find(client, "q=gated");
      return [notes, flashcards, messages].map(({ items }) => items.length);
    };
    expect(await counts()).toEqual([1, 1, 1]);
    await world.deps.db.execute(sql`update content_items set is_active = false where id = ${closed.item.id}`);
    expect(await counts()).toEqual([0, 1, 0]);
  });

  it.each(["", "q=", "q=%20", "q=a&kind=POST", "q=a&before=5", "q=a&limit=51", `q=${"a".repeat(256)}`])(
    "%s is a 422",
    async (query) => {
      expect((await me.get(`/study/search?${query}`)).status).toBe(422);
    },
  );
});
