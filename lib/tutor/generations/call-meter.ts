import { costMicros, type LlmPrices } from "../../platform/llm/prices.ts";
import { type LlmRequest, type LlmUsage, messageText, noUsage } from "../../platform/llm/provider.ts";
import { tokenSum } from "../../platform/llm/token-counts.ts";

/** Interrupted calls are billed too. */
const charactersOfToken = 4;

/** As reported by the provider or estimated. */
export class CallMeter {
  readonly #request: LlmRequest;
  readonly #prices: LlmPrices;
  readonly #former: CallMeter | undefined;
  #reported: LlmUsage | undefined;
  #characters = 0;
  /** With thoughts, and calls that broke off. */
  #receivedCharacters = 0;
  #isWhole = false;
  #startedAt = performance.now();
  #firstWordMs: number | undefined;

  constructor(request: LlmRequest, prices: LlmPrices, former?: CallMeter) {
    this.#request = request;
    this.#prices = prices;
    this.#former = former;
  }

  /** For an `LlmRequest`. */
  readonly listeners = {
    onUsage: (usage: LlmUsage) => this.report(usage),
    onReceived: (characters: number) => {
      this.#receivedCharacters += characters;
    },
  };

  start(): void {
    this.#reported = undefined;
    this.#characters = 0;
    this.#receivedCharacters = 0;
    this.#isWhole = false;
    this.#startedAt = performance.now();
    this.#firstWordMs = undefined;
  }

  report(usage: LlmUsage, isWhole = false): void {
    this.#reported = usage;
    this.#isWhole = isWhole;
  }

  addText(text: string): void {
    if (text !== "") this.#firstWordMs ??= Math.round(performance.now() - this.#startedAt);
    this.#characters += text.length;
  }

  get characters(): number {
    return this.#characters;
  }

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
      estimated: this.#reported !== usage && usage !== noUsage,
      answer_input: tokenSum(inputOf(former), inputOf(usage)),
      answer_output: tokenSum(former.output_tokens, usage.output_tokens),
    });
  }

  /** Estimated if something was received without tokens, or the answer broke off. */
  get usage(): LlmUsage {
    const said = this.#reported ?? noUsage;
    const isReceived = this.#billedCharacters > 0;
    if (!this.#isWhole) return this.#reported || isReceived ? this.#estimated() : noUsage;
    return isReceived && (inputOf(said) === 0 || said.output_tokens === 0) ? this.#estimated() : said;
  }

  #estimated(): LlmUsage {
    const said = this.#reported ?? noUsage;
    const { system, messages } = this.#request;
    const sent = messages.reduce((sum, message) => sum + messageText(message).length, system.length);
    const isInputKnown = inputOf(said) > 0;
    return {
      ...said,
      input_tokens: isInputKnown ? said.input_tokens : tokensOf(sent),
      output_tokens: Math.max(said.output_tokens, tokensOf(this.#billedCharacters)),
    };
  }

  get #billedCharacters(): number {
    return Math.max(this.#characters, this.#receivedCharacters);
  }
}

const inputOf = (usage: LlmUsage): number =>
  usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;

const tokensOf = (characters: number): number => Math.ceil(characters / charactersOfToken);
