import { Browser, type Streamed } from "../../ops/smoke/browser.ts";
import { expect } from "../../ops/smoke/expect.ts";
import type { Facts } from "./report.ts";
import type { Topic } from "./topic.ts";

type Message = { id: number; role: string; meta: { source?: string } };

/** A learner who signs up, opens a topic and talks with the tutor. */
export class Learner {
  readonly name: string;
  readonly browser: Browser;
  #session = 0;

  constructor(name: string, base: string) {
    this.name = name;
    this.browser = new Browser(base);
  }

  async register(): Promise<Facts> {
    const email = `${this.name.toLowerCase()}.${crypto.randomUUID().slice(0, 8)}@example.edu`;
    const reply = await this.browser.send("POST", "/auth/register", {
      email,
      password: "learn together",
      full_name: this.name,
      time_zone: "Europe/London",
    });
    expect(reply.status === 201, `registering answered ${reply.status}`);
    this.browser.signedInWith((reply.body as { access_token: string }).access_token);
    return reply;
  }

  async enroll({ offeringId }: Topic): Promise<Facts> {
    const reply = await this.browser.send("POST", "/enrollments/", { course_offering_id: offeringId });
    expect(reply.status === 201, `enrolling answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    expect((reply.body as { status: string }).status === "ACTIVE", "the enrollment is not active");
    return reply;
  }

  async open({ contentItemId }: Topic): Promise<Facts> {
    const reply = await this.browser.send("POST", "/chat/sessions", { content_item_id: contentItemId });
    expect(reply.status === 201, `opening the topic answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    const session = reply.body as { id: number; cache_state: string };
    expect(session.cache_state === "TRACKING", "a new session must follow the tree");
    this.#session = session.id;
    return reply;
  }

  greet = (onChunk: (chunk: string) => void) =>
    this.#hear(this.browser.stream(`/chat/sessions/${this.#session}/greeting`, undefined, onChunk));

  say = (content: string, onChunk: (chunk: string) => void) =>
    this.#hear(this.browser.stream(`/chat/sessions/${this.#session}/messages`, { content }, onChunk));

  async progress({ contentItemId, offeringId }: Topic, percent: number): Promise<Facts> {
    const reply = await this.browser.send("POST", "/progress/content", {
      content_item_id: contentItemId,
      course_offering_id: offeringId,
      progress_percent: percent,
    });
    expect(reply.status === 200, `progress answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply;
  }

  /** Makes a flashcard of the tutor's first answer, and reviews it twice: the second review does not count. */
  async keepCard(): Promise<Facts> {
    const answer = (await this.session()).messages.find(({ role }) => role === "assistant");
    const card = await this.browser.send("POST", "/study/flashcards/from-answer", { message_id: answer?.id });
    expect(card.status === 201, `the card answered ${card.status}: ${JSON.stringify(card.body)}`);
    const path = `/study/flashcards/${(card.body as { id: number }).id}/reviews`;
    const taps = [1, 2].map(() => this.browser.send("POST", path, { rating: "GOOD", reps: 0 }));
    const counted = (await Promise.all(taps)).filter(({ body }) => (body as { counted: boolean }).counted);
    expect(counted.length === 1, `a double tap was counted ${counted.length} times`);
    return card;
  }

  /** Creates a thread in the offering; returns its path. */
  async ask({ offeringId, contentItemId }: Topic, body: string): Promise<Facts & { path: string }> {
    const thread = { title: "A question", body, content_item_id: contentItemId };
    const reply = await this.browser.send("POST", `/community/offerings/${offeringId}/threads`, thread);
    expect(reply.status === 201, `the thread answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return { ...reply, path: `/community/threads/${(reply.body as { id: number }).id}` };
  }

  async answer(path: string, body: string): Promise<Facts> {
    const reply = await this.browser.send("POST", `${path}/posts`, { body });
    expect(reply.status === 201, `the post answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply;
  }

  /** Submits a lab twice: a repeated submit is idempotent. Returns the submission's id. */
  async handIn({ offeringId, labId }: Topic, body: string): Promise<Facts & { submission: number }> {
    const path = `/assessments/offerings/${offeringId}/assignments/${labId}/submissions`;
    const reply = await this.browser.send("POST", path, { body });
    expect(reply.status === 201, `handing in answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    const again = await this.browser.send("POST", path, { body });
    expect(again.status === 200, `handing in again answered ${again.status}`);
    return { ...reply, submission: (reply.body as { id: number }).id };
  }

  /** The lab's score as the learner sees it; null until released. */
  async score({ offeringId, labId }: Topic, expected: number | null): Promise<Facts> {
    const reply = await this.browser.send("GET", `/assessments/offerings/${offeringId}/my-grades`);
    const { items } = reply.body as { items: { content_item_id: number; score: number | null }[] };
    const score = items.find((item) => item.content_item_id === labId)?.score;
    expect(score === expected, `the score is ${score}, not ${expected}`);
    return reply;
  }

  async streak(days: number): Promise<Facts> {
    const reply = await this.browser.send("GET", "/users/me");
    const { current_streak_days } = reply.body as { current_streak_days: number };
    expect(current_streak_days === days, `the streak is ${current_streak_days}, not ${days}`);
    return reply;
  }

  async session(): Promise<{ cache_state: string; messages: Message[] }> {
    const reply = await this.browser.send("GET", `/chat/sessions/${this.#session}`);
    return reply.body as { cache_state: string; messages: Message[] };
  }

  /** The streamed answer, with its source from the stored message. */
  async #hear(streaming: Promise<Streamed>): Promise<Streamed & { source: string | undefined }> {
    const streamed = await streaming;
    expect(streamed.status === 200, `the tutor returned ${streamed.status}`);
    expect(!streamed.error, `the answer was cut off: ${streamed.error}`);
    const { messages } = await this.session();
    const stored = messages.find((message) => message.id === streamed.messageId);
    expect(stored?.role === "assistant", "the last event must name the stored answer");
    return { ...streamed, source: stored.meta.source };
  }
}
