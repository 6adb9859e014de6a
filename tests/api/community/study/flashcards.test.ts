import { describe, expect, it } from "vitest";
import { documentedCodes } from "../../../support/contract-check.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, openSession } from "../../tutor/chat/support.ts";

const world = openWorld();
const make = makersOf(world);

const card = { front: "What is <b>beating</b>?", back: "A sum of two sines" };

async function learner() {
  const { item, offering, university } = await make.topic();
  const person = await make.person();
  await make.enrollment(person.id, offering.id);
  const me = world.as(person);
  const deck = await me.post("/study/decks", { title: "Before the exam" });
  return { me, item, university, deck_id: deck.body.id as number };
}

describe("decks", () => {
  it("count their cards and due ones, and are deleted with their cards", async () => {
    const { me, deck_id } = await learner();
    const made = await me.post("/study/flashcards", { ...card, deck_id });
    await me.post("/study/flashcards", { ...card, deck_id });
    await me.post(`/study/flashcards/${made.body.id}/reviews`, { rating: "easy", reps: 0 });
    expect((await me.get("/study/decks")).body).toMatchObject([{ id: deck_id, card_count: 2, due_count: 1 }]);
    expect((await me.put(`/study/decks/${deck_id}`, { title: "After" })).body).toMatchObject({
      card_count: 2,
    });
    expect((await me.delete(`/study/decks/${deck_id}`)).status).toBe(204);
    expect((await me.get(`/study/flashcards/${made.body.id}`)).status).toBe(404);
  });

  it("have unique titles", async () => {
    const { me } = await learner();
    const taken = await me.post("/study/decks", { title: "Before the exam" });
    expect([taken.status, taken.body.detail]).toEqual([
      400,
      "Flashcard deck title 'Before the exam' is already taken",
    ]);
  });

  it("take no cards of other users, and are a 404 for others", async () => {
    const { deck_id, university } = await learner();
    const other = world.as(await make.holder("platform_admin", university.id));
    const own = await other.post("/study/flashcards", card);
    for (const reply of [
      await other.post("/study/flashcards", { ...card, deck_id }),
      await other.put(`/study/flashcards/${own.body.id}`, { deck_id }),
    ])
      expect([reply.status, reply.body.detail]).toEqual([
        400,
        `Flashcard deck_id '${deck_id}' does not exist`,
      ]);
    expect((await other.get(`/study/decks/${deck_id}`)).status).toBe(404);
  });
});

describe("a review", () => {
  it("moves the card on, and is activity", async () => {
    world.setNow("2026-03-10T12:00:00.000Z");
    const { me, item } = await learner();
    const made = await me.post("/study/flashcards", { ...card, content_item_id: item.id });
    expect(made.body).toMatchObject({ ...card, state: "NEW", reps: 0, due: "2026-03-10T12:00:00.000Z" });
    expect((await me.get("/study/flashcards/due")).body).toHaveLength(1);

    const path = `/study/flashcards/${made.body.id}/reviews`;
    const first = await me.post(path, { rating: "GOOD", reps: 0 });
    expect(first.body).toMatchObject({
      counted: true,
      flashcard: { state: "LEARNING", reps: 1, due: "2026-03-10T12:10:00.000Z" },
    });
    expect((await me.get("/study/flashcards/due")).body).toEqual([]);
    expect((await me.get("/users/me")).body.current_streak_days).toBe(1);
    expect((await me.get("/users/me/overview")).body.recent_activity).toMatchObject([
      { type: "REVIEWED", title: item.title, content_item_id: item.id },
    ]);

    world.setNow("2026-03-10T12:10:00.000Z");
    expect((await me.get("/study/flashcards/due")).body).toEqual([first.body.flashcard]);
    const second = await me.post(path, { rating: "GOOD", reps: 1 });
    expect(second.body.flashcard).toMatchObject({
      state: "REVIEW",
      reps: 2,
      due: "2026-03-12T12:10:00.000Z",
    });
  });

  it("that is sent ten times concurrently counts once", async () => {
    const { me } = await learner();
    const made = await me.post("/study/flashcards", card);
    const path = `/study/flashcards/${made.body.id}`;
    const taps = await Promise.all(
      Array.from({ length: 10 }, () => me.post(`${path}/reviews`, { rating: "GOOD", reps: 0 })),
    );
    expect(taps.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(taps.filter(({ body }) => body.counted)).toHaveLength(1);
    const stored = (await me.get(path)).body;
    expect(stored.reps).toBe(1);
    for (const tap of taps) expect(tap.body.flashcard).toEqual(stored);
    const kept = await me.get("/users/me/export");
    expect(JSON.parse(kept.text).flashcard_reviews).toHaveLength(1);
  });

  it("of a future showing is a 400", async () => {
    const { me } = await learner();
    const made = await me.post("/study/flashcards", card);
    const reply = await me.post(`/study/flashcards/${made.body.id}/reviews`, { rating: "GOOD", reps: 3 });
    expect([reply.status, reply.body.detail]).toEqual([400, "Flashcard has been reviewed 0 times, not 3"]);
  });
});

describe("a card made from an answer of the tutor", () => {
  async function asked() {
    const { me, item, university, deck_id } = await learner();
    const session = (await me.post("/chat/sessions", { content_item_id: item.id })).body.id;
    await me.post(`/chat/sessions/${session}/greeting`);
    await me.post(`/chat/sessions/${session}/messages`, { content: "Why do they beat?" });
    const { messages } = (await me.get(`/chat/sessions/${session}`)).body;
    return { me, item, university, deck_id, messages };
  }

  it("has the question on its front, the answer on its back, and the topic", async () => {
    const { me, item, deck_id, messages } = await asked();
    const answer = messages.at(-1);
    const made = await me.post("/study/flashcards/from-answer", { message_id: answer.id, deck_id });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      front: "Why do they beat?",
      back: answer.content,
      content_item_id: item.id,
      message_id: answer.id,
      deck_id,
    });
    const greeting = messages.find(({ role }: { role: string }) => role === "assistant");
    const ofGreeting = await me.post("/study/flashcards/from-answer", {
      message_id: greeting.id,
      back: "Mine",
    });
    expect(ofGreeting.body).toMatchObject({ front: item.title, back: "Mine" });
  });

  it("has the tutor's question on its front if an option was chosen, and is in no deck", async () => {
    const { me, item, deck_id } = await learner();
    const session = await openSession(me, item.id);
    const options = ["A", "B"].map((id) => ({ id, text: `Way ${id}` }));
    const mcq = { questionId: "q1", question: "Which way?", options };
    world.llm.script(
      { chunks: [`Welcome\n\`\`\`mcq\n${JSON.stringify(mcq)}\n\`\`\``] },
      { chunks: ["Left, indeed."] },
    );
    await session.say("Start.");
    await session.say(answerTo("q1", "A"));
    const answer = (await session.read()).messages.at(-1);
    const { body: made } = await me.post("/study/flashcards/from-answer", { message_id: answer.id });
    expect([made.front, made.back]).toEqual(["Which way?", "Left, indeed."]);
    await me.post("/study/flashcards", { ...card, deck_id });
    const idsOf = async (query: string) =>
      (await me.get(`/study/flashcards?${query}`)).body.map(({ id }: { id: number }) => id);
    expect(await idsOf("without_deck=true")).toEqual([made.id]);
    expect(await idsOf("without_deck=false")).toHaveLength(1);
    expect(await idsOf("")).toHaveLength(2);
    expect((await me.get("/study/flashcards?without_deck=perhaps")).status).toBe(422);
  });

  it("returns each error code of the API document, and no other", async () => {
    const { me, messages, deck_id } = await asked();
    const { deck_id: anothers } = await learner();
    const answer = messages.at(-1).id;
    const codeOf = async (card: object) => {
      const { status, headers } = await me.post("/study/flashcards/from-answer", card);
      return `${status} ${headers.get("x-error-code")}`;
    };
    const answered = [
      await codeOf({ message_id: Number.MAX_SAFE_INTEGER }),
      await codeOf({ message_id: answer, deck_id: anothers }),
      await codeOf({ message_id: answer, deck_id: 2_147_483_647 }),
    ];
    expect(answered).toEqual(Array(3).fill("400 does_not_exist"));
    expect(documentedCodes().get("createFlashcardFromAnswer")).toEqual({ 400: ["does_not_exist"] });
    const whole = { message_id: answer, deck_id, front: "x".repeat(4000), back: "y".repeat(4000) };
    expect((await me.post("/study/flashcards/from-answer", whole)).status).toBe(201);
    expect(await codeOf({ message_id: answer, front: " " })).toBe("422 validation");
  });

  it("needs an answer in one of the caller's conversations", async () => {
    const { me, messages, university } = await asked();
    const other = world.as(await make.holder("platform_admin", university.id));
    const question = messages.find(({ role }: { role: string }) => role === "user");
    for (const [client, message] of [
      [other, messages.at(-1)],
      [me, question],
    ] as const) {
      const reply = await client.post("/study/flashcards/from-answer", { message_id: message.id });
      expect([reply.status, reply.body.detail]).toEqual([
        400,
        `Flashcard message_id '${message.id}' does not exist`,
      ]);
    }
  });
});
