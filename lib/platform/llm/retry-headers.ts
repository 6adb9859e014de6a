import { parseRetryAfterSeconds } from "../text/retry-after.ts";
import type { LlmErrorKind } from "./provider.ts";

type Header = (name: string) => string | null | undefined;

type Retry = { kind: LlmErrorKind | undefined; retryAfter: number | undefined };

const limits = ["requests", "tokens", "input-tokens", "output-tokens"];

/** Seconds, if the provider wants no immediate retry. */
const defaultRetryAfterSeconds = 5;

type Failed = { kind: LlmErrorKind | undefined; status?: number | undefined; message?: string | undefined };

/**
 * By `retry-after-ms`, `retry-after`, the reset of an exhausted limit, the message of a rate limit, and
 * `x-should-retry`.
 */
export function errorKindAndRetryAfter(header: Header, failed: Failed, now = Date.now()): Retry {
  const should = header("x-should-retry")?.trim().toLowerCase();
  const kind = should === "true" && failed.kind === "rejected" ? "unavailable" : failed.kind;
  const said = ofMilliseconds(header("retry-after-ms")) ?? parseRetryAfterSeconds(header("retry-after"), now);
  const retryAfter =
    said ??
    (failed.status === 429 ? (secondsOfReset(header, now) ?? secondsOfMessage(failed.message)) : undefined);
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

/** Such as "Please retry in 34.07s", which Gemini says without a header, and "try again in 6m0s". */
function secondsOfMessage(message = ""): number | undefined {
  const said =
    /(?:retry|try again) (?:in|after) (?:(\d{1,3})h)?(?:(\d{1,4})m(?!s))?(?:(\d{1,6}(?:\.\d+)?) ?(ms|s))?/i.exec(
      message,
    );
  const [, hours = 0, minutes = 0, seconds = 0, unit] = said ?? [];
  const part = Number(seconds) / (unit === "ms" ? 1000 : 1);
  return parseRetryAfterSeconds(String(Number(hours) * 3600 + Number(minutes) * 60 + part));
}
