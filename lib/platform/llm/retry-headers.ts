import { secondsOf } from "./answer.ts";
import type { LlmErrorKind } from "./provider.ts";

/** A header by its name in lower case. */
type Header = (name: string) => string | null | undefined;

type Retry = { kind: LlmErrorKind | undefined; retryAfter: number | undefined };

const limits = ["requests", "tokens", "input-tokens", "output-tokens"];

/** Seconds until a retry of calls that the provider wants no immediate one of. */
const usualWait = 5;

/**
 * When a failed call may be repeated, by the provider's headers: `retry-after-ms`, `retry-after`, the reset of
 * an exhausted limit, and `x-should-retry`.
 */
export function retryOf(
  header: Header,
  failed: { kind: LlmErrorKind | undefined; status?: number | undefined },
  now = Date.now(),
): Retry {
  const should = header("x-should-retry")?.trim().toLowerCase();
  const kind = should === "true" && failed.kind === "rejected" ? "unavailable" : failed.kind;
  const said = ofMilliseconds(header("retry-after-ms")) ?? secondsOf(header("retry-after"), now);
  const retryAfter = said ?? (failed.status === 429 ? secondsOfReset(header, now) : undefined);
  return {
    kind,
    retryAfter: retryAfter ?? (should === "false" && kind !== "rejected" ? usualWait : undefined),
  };
}

const ofMilliseconds = (said: string | null | undefined): number | undefined =>
  /^\d{1,12}(\.\d+)?$/.test(said?.trim() ?? "") ? secondsOf(String(Number(said) / 1000)) : undefined;

/** Until the latest reset of an exhausted limit, or of any limit without a count of its rest. */
function secondsOfReset(header: Header, now: number): number | undefined {
  const resets = limits.flatMap((limit) => {
    const reset = Date.parse(header(`anthropic-ratelimit-${limit}-reset`) ?? "");
    const rest = header(`anthropic-ratelimit-${limit}-remaining`)?.trim();
    return Number.isNaN(reset) || (rest && rest !== "0") ? [] : [(reset - now) / 1000];
  });
  return resets.length > 0 ? secondsOf(String(Math.max(...resets, 0)), now) : undefined;
}
