import { setTimeout as sleep } from "node:timers/promises";
import type { ChatMessage, ChatSessionWithMessages } from "../../schema/api/tutor/chat.ts";
import type { Question } from "../../schema/question.ts";
import type { ChaosEnvironment } from "./environment.ts";
import { quoteAbbreviated } from "./ledger.ts";
import type { SeededRandom } from "./rng.ts";
import {
  isRefusedMoveEnding,
  type PendingMessage,
  type StreamEventFaultHook,
  sendAndAwaitAnswer,
} from "./send-and-await-answer.ts";
import { type AnswerStreamOptions, readAnswerStream, type StreamEnding } from "./stream.ts";
import type { ChaosTopic } from "./topics-and-learners.ts";

/** A learner who works through topics, one session after the other. */
export class ChaosLearner {
  readonly name: string;
  readonly stage: ChaosEnvironment;
  readonly rng: SeededRandom;
  topic: ChaosTopic;
  session = 0;
  /** The learner has deleted the current session. */
  hasLeft = false;
  /** Start of the wait for an answer. */
  waitingSince: number | undefined;
  answeredAt = Number.NEGATIVE_INFINITY;
  readonly #token: string;
  #question: Question | undefined;
  #moves: readonly string[] = [];
  #isGreeted = false;
  #said = 0;

  constructor(stage: ChaosEnvironment, number: number, token: string) {
    this.name = `learner ${number}`;
    this.stage = stage;
    this.rng = stage.rng.for(this.name);
    this.#token = token;
    this.topic = this.rng.pick(stage.university.topics);
  }

  /** One step of the conversation. A calm step has no faults by the learner. */
  async step(isCalm = false): Promise<void> {
    if (this.session === 0) await this.#openSession();
    const said = this.#choose(isCalm);
    this.waitingSince = said.since;
    if (!isCalm && this.rng.chance(0.04)) await this.#leave(said);
    else {
      const outcome = await sendAndAwaitAnswer(this, said, isCalm ? {} : this.#faults(said));
      if (outcome === "session gone") this.session = 0;
      else if (outcome === "given up") await this.readBack();
      else if (outcome === "no such move") await this.#wasRefused(said);
      else [this.#question, this.#moves, this.#isGreeted] = [outcome.question, outcome.moves, true];
    }
    this.waitingSince = undefined;
    if (!isCalm && this.session !== 0 && this.rng.chance(0.1)) await this.readBack();
    if (!isCalm && this.session !== 0 && this.#isGreeted && this.rng.chance(0.15)) await this.#askAside();
  }

  /** Asks once or twice in an aside, and checks that the session's path is unchanged. */
  async #askAside(): Promise<void> {
    const { session, stage } = this;
    const before = await this.#stateOf(session);
    if (before.isAnswering) return;
    const body = { content_item_id: this.topic.id, aside_of: session };
    this.session = ((await this.#send("POST", "chat/sessions", body)) as { id: number }).id;
    stage.ledger.count("asides begun");
    for (let words = this.rng.chance(0.4) ? 2 : 1; words > 0; words -= 1) {
      this.#said += 1;
      const content = `Please say to ${this.name} beside the path, for the ${this.#said}th time, why.`;
      const since = performance.now();
      this.waitingSince = since;
      await sendAndAwaitAnswer(this, {
        content,
        name: `${this.name}, message ${this.#said}`,
        since,
        asked: undefined,
      });
      this.waitingSince = undefined;
    }
    this.session = session;
    const after = await this.#stateOf(session);
    // A frozen process may hold an abandoned message, which moves the session later.
    if (after.isAnswering || after.newest !== before.newest)
      stage.ledger.count("asides beside a late message");
    else if (after.state !== before.state)
      this.#violated(`asked aside, and the session beside it went from ${before.state} to ${after.state}`);
  }

  async #stateOf(session: number) {
    const read = (await this.#send("GET", `chat/sessions/${session}`)) as ChatSessionWithMessages;
    return {
      state: read.cache_state,
      isAnswering: Boolean(read.answering),
      newest: read.messages.at(-1)?.id,
    };
  }

  async listen(
    request: { method: "GET" | "POST"; path: string; body?: object },
    options: Pick<AnswerStreamOptions, "onEvent">,
  ): Promise<StreamEnding> {
    const url = await this.#urlOf(`chat/sessions/${this.session}/${request.path}`);
    // Some learners wait longer than a freeze, others switch servers.
    const timeoutMs = this.rng.chance(0.3) ? 30_000 : 6000;
    return readAnswerStream(url, { ...request, ...options, token: this.#token, timeoutMs });
  }

  /** Reads the session with its stored messages, and continues from there. */
  async readBack(): Promise<void> {
    const read = await this.#send("GET", `chat/sessions/${this.session}`);
    const { messages } = read as ChatSessionWithMessages;
    const stored = new Map(messages.map(({ id, content }) => [id, content]));
    const { told, violated } = { told: this.stage.ledger.told, violated: this.#violated };
    for (const { message, session, text } of told.values()) {
      if (session !== this.session || stored.get(message) === text) continue;
      if (message >= (messages[0]?.id ?? 0))
        violated(
          `was told ${quoteAbbreviated(text)} in answer ${message}, and reads ${quoteAbbreviated(stored.get(message) ?? "")}`,
        );
    }
    this.stage.ledger.count("sessions read back");
    const last = messages.findLast(({ role }) => role === "assistant");
    [this.#question, this.#isGreeted] = [last?.question ?? undefined, last !== undefined];
    this.#moves = last?.moves ?? [];
  }

  /**
   * A move offered by the last answer must be accepted, unless an abandoned message was answered in between.
   */
  async #wasRefused({ content }: PendingMessage): Promise<void> {
    const { newest } = await this.#stateOf(this.session);
    await this.readBack();
    if (this.#moves.includes(content) && newest === (await this.#stateOf(this.session)).newest)
      this.#violated(`was refused ${content}, which the last answer of session ${this.session} offers`);
  }

  #violated = (what: string): void => this.stage.ledger.violated(`${this.name} ${what}`);

  async #openSession(): Promise<void> {
    this.topic = this.rng.pick(this.stage.university.topics);
    const created = await this.#send("POST", "chat/sessions", { content_item_id: this.topic.id });
    this.session = (created as { id: number }).id;
    [this.hasLeft, this.#question, this.#moves, this.#isGreeted] = [false, undefined, [], false];
    this.stage.ledger.count("sessions opened");
  }

  /** The next message: usually an offered option, sometimes something else. */
  #choose(isCalm: boolean): PendingMessage {
    this.#said += 1;
    const name = `${this.name}, message ${this.#said}`;
    return { content: this.#words(isCalm), name, since: performance.now(), asked: this.#question };
  }

  #words(isCalm: boolean): string {
    if (!this.#isGreeted) return "Start.";
    const answer = (text: string) => JSON.stringify({ questionId: this.#question?.questionId, answer: text });
    const whim = this.rng.next();
    if (isCalm || whim < 0.06) return `Please explain that to ${this.name}, for the ${this.#said}th time.`;
    if (whim < 0.1) return "Start.";
    if (!this.#question || whim < 0.12) return answer("made up");
    if (whim < 0.14) return "@nothing_like_it";
    if (whim > 0.7 && this.#moves.length > 0) return this.#move(answer);
    const option = this.rng.pick(["a", "a", "a", "b", "c"]);
    return answer(whim < 0.2 ? ` Option ${option.toUpperCase()}` : option);
  }

  /** Usually a hint; a quarter of them as examples, alone or as the answer. */
  #move(answer: (text: string) => string): string {
    const moves = this.#moves as [string, ...string[]];
    const move = this.rng.chance(0.5) ? moves[0] : this.rng.pick(moves);
    this.stage.ledger.count(`moves: ${move}`);
    return this.rng.chance(0.8) ? move : answer(move);
  }

  /** The learner's own faults: leaving mid-stream, stopping the answer, or changing their mind. */
  #faults({ content }: PendingMessage): { manners?: StreamEventFaultHook; fickle?: boolean } {
    const whim = this.rng.next();
    const when = Math.floor(this.rng.between(1, 6));
    if (whim < 0.12)
      return { manners: { onEvent: (number) => (number === when ? this.#left() : undefined) } };
    if (whim < 0.15)
      return {
        fickle: true,
        manners: { onEvent: (number) => (number === when ? this.#left() : undefined) },
      };
    if (whim < 0.4 && content.startsWith("Please"))
      return {
        manners: {
          onEvent: (number) => {
            if (number === when) void this.#stop();
            return undefined;
          },
        },
      };
    return {};
  }

  #left(): "leave" {
    this.stage.ledger.count("disconnects");
    return "leave";
  }

  async #stop(): Promise<void> {
    const { session } = this;
    const url = await this.#urlOf(`chat/sessions/${session}/stop`);
    const headers = { authorization: `Bearer ${this.#token}` };
    const response = await fetch(url, { method: "POST", headers }).catch(() => undefined);
    this.stage.ledger.count(`stops answered ${response?.status ?? "not at all"}`);
    if (response?.status === 500) this.#violated("got 500 for a stop");
    if (response?.status !== 200) return;
    const message = (await response.json().catch(() => undefined)) as ChatMessage | undefined;
    if (message) this.stage.ledger.tell({ session, message: message.id, text: message.content });
  }

  /** Deletes the session during its answer, and opens a new one. */
  async #leave(said: PendingMessage): Promise<void> {
    const when = Math.floor(this.rng.between(1, 4));
    let deleting: Promise<unknown> | undefined;
    const remove = () => {
      this.hasLeft = true;
      deleting ??= this.#send("DELETE", `chat/sessions/${this.session}`);
    };
    const body = { content: said.content, client_message_id: said.name };
    this.stage.ledger.sent.add(said.name);
    const ending = await this.listen(
      { method: "POST", path: "messages", body },
      {
        onEvent: (number) => {
          if (number === when) remove();
          return undefined;
        },
      },
    );
    const isNoMove = isRefusedMoveEnding(ending);
    if (isNoMove) await this.#wasRefused(said);
    remove();
    await deleting;
    this.stage.ledger.count("sessions deleted");
    if (ending.kind === "refused" && !isNoMove && ![404, 409, 503].includes(ending.status))
      this.#violated(`got ${ending.status} ${ending.detail} when they deleted their session`);
    if (ending.kind === "told")
      this.stage.ledger.tell({ session: this.session, message: ending.message, text: ending.text });
    this.session = 0;
  }

  async #urlOf(path: string): Promise<string> {
    return `${await this.stage.servers.any(this.rng)}/${path}`;
  }

  /** Sends an idempotent request until it succeeds. */
  async #send(method: string, path: string, body?: object): Promise<unknown> {
    for (;;) {
      const response = await fetch(await this.#urlOf(path), {
        method,
        headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(6000),
      }).catch(() => undefined);
      // A truncated response is requested again.
      const text = await response?.text().catch(() => undefined);
      if (response && text !== undefined) {
        if (response.ok) return text ? JSON.parse(text) : undefined;
        if (method === "DELETE" && response.status === 404) return undefined;
        if (response.status !== 503) this.#violated(`got ${response.status} for ${method} ${path}: ${text}`);
      }
      await sleep(200);
    }
  }
}
