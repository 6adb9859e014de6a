import { costMicros, type LlmPrices } from "../llm/prices.ts";
import { type LlmRequest, type LlmUsage, noUsage } from "../llm/provider.ts";
import { tokenSum } from "../llm/token-counts.ts";

/** A call is billed even if its provider or we cut it off: then four characters count as a token. */
const charactersOfToken = 4;

/** What the calls of one answer use, as far as their provider says it. */
export class CallMeter {
  readonly #request: LlmRequest;
  readonly #prices: LlmPrices;
  readonly #former: CallMeter | undefined;
  #reported: LlmUsage | undefined;
  #characters = 0;
  #isWhole = false;
  #startedAt = performance.now();
  #firstWordMs: number | undefined;

  /** `former` is the call that made the same answer as far as it could be read. */
  constructor(request: LlmRequest, prices: LlmPrices, former?: CallMeter) {
    this.#request = request;
    this.#prices = prices;
    this.#former = former;
  }

  /** A call begins. */
  start(): void {
    this.#reported = undefined;
    this.#characters = 0;
    this.#isWhole = false;
    this.#startedAt = performance.now();
    this.#firstWordMs = undefined;
  }

  /** What the provider says so far. */
  report(usage: LlmUsage, isWhole = false): void {
    this.#reported = usage;
    this.#isWhole = isWhole;
  }

  addText(text: string): void {
    if (text !== "") this.#firstWordMs ??= Math.round(performance.now() - this.#startedAt);
    this.#characters += text.length;
  }

  /** What was received of the call, in UTF-16 units. */
  get characters(): number {
    return this.#characters;
  }

  /**
   * As the database takes it. In a call without its end, what was sent and received counts in place of what was never
   * reported.
   */
  used(): string {
    const { usage } = this;
    const { usage: former = noUsage } = this.#former ?? {};
    return JSON.stringify({
      input: usage.input_tokens,
      output: usage.output_tokens,
      cache_read: usage.cache_read_tokens,
      cache_write: usage.cache_write_tokens,
      cost: costMicros(this.#prices, this.#request.model, usage),
      first_word: this.#firstWordMs,
      answer_input: tokenSum(inputOf(former), inputOf(usage)),
      answer_output: tokenSum(former.output_tokens, usage.output_tokens),
    });
  }

  /** What the call has used: as it is reported, or taken from what was sent and received. */
  get usage(): LlmUsage {
    return this.#isWhole || !this.#hasBegun ? (this.#reported ?? noUsage) : this.#estimated();
  }

  get #hasBegun(): boolean {
    return this.#reported !== undefined || this.#characters > 0;
  }

  #estimated(): LlmUsage {
    const said = this.#reported ?? noUsage;
    const { system, messages } = this.#request;
    const sent = messages.reduce((sum, { content }) => sum + content.length, system.length);
    const isInputKnown = said.input_tokens + said.cache_read_tokens + said.cache_write_tokens > 0;
    return {
      ...said,
      input_tokens: isInputKnown ? said.input_tokens : tokensOf(sent),
      output_tokens: Math.max(said.output_tokens, tokensOf(this.#characters)),
    };
  }
}

const inputOf = (usage: LlmUsage): number =>
  usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;

const tokensOf = (characters: number): number => Math.ceil(characters / charactersOfToken);
