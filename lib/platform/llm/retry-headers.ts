import { parseRetryAfterSeconds } from "../text/retry-after.ts";
import type { LlmErrorKind } from "./provider.ts";

type Header = (name: string) => string | null | undefined;

type Retry = { kind: LlmErrorKind | undefined; retryAfter: number | undefined };

const limits = ["requests", "tokens", "input-tokens", "output-tokens"];

/** Seconds, if the provider wants no immediate retry. */
const defaultRetryAfterSeconds = 5;

/** By `retry-after-ms`, `retry-after`, the reset of an exhausted limit, and `x-should-retry`. */
export function errorKindAndRetryAfter(
  header: Header,
  failed: { kind: LlmErrorKind | undefined; status?: number | undefined },
  now = Date.now(),
): Retry {
  const should = header("x-should-retry")?.trim().toLowerCase();
  const kind = should === "true" && failed.kind === "rejected" ? "unavailable" : failed.kind;
  const said = ofMilliseconds(header("retry-after-ms")) ?? parseRetryAfterSeconds(header("retry-after"), now);
  const retryAfter = said ?? (failed.status === 429 ? secondsOfReset(header, now) : undefined);
  return {
    kind,
    retryAfter:
      retryAfter ?? (should === "false" && kind !== "rejected" ? defaultRetryAfterSeconds : undefined),
  };
}

const ofMilliseconds = (said: string | null | undefined): number | undefined =>
  /^\d{1,12}(\.\d+)?$/.test(said?.trim() ?? "")
    ? parseRetryAfterSeconds(String(Number(said) / 1000))
    : undefined;

/** The latest reset of an exhausted limit, or of any limit without a count. */
function secondsOfReset(header: Header, now: number): number | undefined {
  const resets = limits.flatMap((limit) => {
    const reset = Date.parse(header(`anthropic-ratelimit-${limit}-reset`) ?? "");
    const rest = header(`anthropic-ratelimit-${limit}-remaining`)?.trim();
    return Number.isNaN(reset) || (rest && rest !== "0") ? [] : [(reset - now) / 1000];
  });
  return resets.length > 0 ? parseRetryAfterSeconds(String(Math.max(...resets, 0)), now) : undefined;
}
