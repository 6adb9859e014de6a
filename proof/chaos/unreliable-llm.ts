import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { MessagesRequest } from "../../scripts/dev/anthropic-protocol.ts";
import { type LlmStandIn, startLlmStandIn } from "../../tests/support/llm-stand-in.ts";
import {
  createScriptedLlmAnswer,
  failedAttemptsPerCall,
  isUnstorableAnswerMode,
  type LlmAnswerMode,
  pickLlmAnswerMode,
} from "./llm-answer-modes.ts";
import type { OutageRecorder } from "./outages.ts";
import type { SeededRandom } from "./rng.ts";

/** A path of requests: the same text from the system prompt to the last message. */
type Path = {
  topic: string;
  message: string;
  /** All learners' messages on it, which stay equal when staff change a text or key during generation. */
  said: string;
  calls: number;
  /** Calls without a storable result, which require another call. */
  spent: number;
  failures: { at: number; weight: number; mode: LlmAnswerMode }[];
};

/** An LLM with unique answers that sometimes fails, and records how. */
export class UnreliableLlm {
  readonly #rng: SeededRandom;
  readonly #outages: OutageRecorder;
  readonly #paths = new Map<string, Path>();
  readonly #underWay = new Map<number, { path: Path; mode: LlmAnswerMode }>();
  #standIn: LlmStandIn | undefined;
  #calls = 0;
  #isCalm = false;

  constructor(rng: SeededRandom, outages: OutageRecorder) {
    this.#rng = rng;
    this.#outages = outages;
  }

  get url(): string {
    return this.#standIn?.url ?? "";
  }

  get calls(): number {
    return this.#calls;
  }

  async start(port?: number): Promise<void> {
    const underWay = new Map<number, number>();
    this.#standIn = await startLlmStandIn({
      ...(port && { port }),
      improvise: (request, number) => {
        underWay.set(number, this.#calls + 1);
        return this.#answer(request);
      },
      onEnd: (_, number, whole) => this.#end(underWay.get(number) ?? 0, whole),
    });
  }

  /** Interrupts all calls, and stays down for that many milliseconds. */
  restart(milliseconds: number): Promise<void> {
    return this.#outages.during("llm", async () => {
      const { port } = new URL(this.url);
      await this.close();
      await sleep(milliseconds);
      await this.start(Number(port));
    });
  }

  calmDown(): void {
    this.#isCalm = true;
  }

  async close(): Promise<void> {
    await this.#standIn?.close();
  }

  /** True if two answers to one of these messages failed since then. */
  failedTwice(topic: string, messages: readonly string[], since: number): boolean {
    const failed = new Map<string, number>();
    for (const path of this.#pathsTo(topic, messages)) {
      const weights = path.failures.filter(({ at }) => at >= since).map(({ weight }) => weight);
      failed.set(
        path.said,
        weights.reduce((sum, weight) => sum + weight, failed.get(path.said) ?? 0),
      );
    }
    return Math.max(0, ...failed.values()) > 1.9;
  }

  /** The failures at these messages, with their age in seconds. */
  failuresAt(topic: string, messages: readonly string[]): string {
    const failures = this.#pathsTo(topic, messages)
      .flatMap((path) => path.failures)
      .sort((one, other) => one.at - other.at);
    const ago = (at: number) => `${Math.round((performance.now() - at) / 1000)} s ago`;
    return failures.map(({ at, mode }) => `${ago(at)} (${mode})`).join(", ") || "never";
  }

  /** Number of paths by number of calls. */
  callsPerPath(): Map<number, number> {
    const distribution = new Map<number, number>();
    for (const { calls } of this.#paths.values()) distribution.set(calls, (distribution.get(calls) ?? 0) + 1);
    return new Map([...distribution].sort(([one], [two]) => one - two));
  }

  /** Repeated calls of a path that no earlier failure explains. */
  unexplainedCalls(): number {
    return [...this.#paths.values()].reduce(
      (sum, { calls, spent }) => sum + Math.max(calls - 1 - spent, 0),
      0,
    );
  }

  #answer(request: MessagesRequest) {
    this.#calls += 1;
    const rng = this.#rng.for(this.#calls);
    const mode = this.#isCalm ? "well" : pickLlmAnswerMode(rng);
    const path = this.#pathOf(request);
    path.calls += 1;
    this.#underWay.set(this.#calls, { path, mode });
    const weight = failedAttemptsPerCall(mode);
    if (weight > 0) path.failures.push({ at: performance.now(), weight, mode });
    return createScriptedLlmAnswer(mode, this.#calls, isMoveRequest(request), rng);
  }

  #end(call: number, whole: boolean): void {
    const ended = this.#underWay.get(call);
    if (!ended) return;
    this.#underWay.delete(call);
    if (!whole || failedAttemptsPerCall(ended.mode) > 0 || isUnstorableAnswerMode(ended.mode))
      ended.path.spent += 1;
  }

  #pathsTo(topic: string, messages: readonly string[]): Path[] {
    return [...this.#paths.values()].filter(
      (path) => path.topic === topic && messages.includes(path.message),
    );
  }

  #pathOf({ system = "", messages }: MessagesRequest): Path {
    const key = createHash("sha256")
      .update(JSON.stringify([system, messages]))
      .digest("hex");
    const path = this.#paths.get(key) ?? {
      topic: /Topic-\d+-\d+/.exec(system)?.[0] ?? "",
      // Without the context behind it, such as the note of an aside.
      message: messages.at(-1)?.content.split("\n\n--- ")[0] ?? "",
      said: JSON.stringify(messages.filter(({ role }) => role === "user").map(({ content }) => content)),
      calls: 0,
      spent: 0,
      failures: [],
    };
    this.#paths.set(key, path);
    return path;
  }
}

/** The rule that the service adds to the request of a move, in the courses' language. */
const isMoveRequest = ({ messages }: MessagesRequest): boolean =>
  messages.at(-1)?.content.includes("The question stays open:") ?? false;
