import { PlatformError } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { assignIssuesToFields } from "./components/field-issues.ts";
import { Notice } from "./components/notice.tsx";
import { FormSubmissionBlockedError, retryAfterSecondsOrZero, StreamError } from "./error-classes.ts";
import { formatSecondsFromNow } from "./format.ts";
import { t } from "./texts.ts";

/** Timeout in milliseconds, longer than any response takes. */
const timeoutMs = 20_000;

export type QueryHookResult<Value> = {
  value?: Value;
  error?: unknown;
  /** Reloads. The current value stays until the response arrives. */
  again(): void;
  /** Replaces the value, for example with the response to a change. */
  set(value: Value): void;
  /** Applies a change to the value and reloads, since a read in flight may predate it. */
  change(by: (value: Value) => Value): void;
};

/**
 * Reads when a key changes, and again when the network returns after a failure. If only `part` changes, as in
 * paging, the current value stays until the response arrives.
 */
export function useQuery<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
  part?: number,
): QueryHookResult<Value> {
  const [round, setRound] = useState(0);
  const [result, setResult] = useState<{ key: string; value?: Value; error?: unknown }>({ key: "" });
  const key = JSON.stringify(keys);
  const again = useCallback(() => setRound((count) => count + 1), []);
  // The keys decide what is read.
  useEffect(() => {
    const left = new AbortController();
    let isBack = false;
    const note = () => {
      isBack = true;
    };
    addEventListener("online", note, { signal: left.signal });
    read(AbortSignal.any([left.signal, AbortSignal.timeout(timeoutMs)])).then(
      (value) => left.signal.aborted || setResult({ key, value }),
      // The request may have been sent before the network returned.
      (error) => left.signal.aborted || (isBack ? again() : setResult({ key, error })),
    );
    return () => left.abort();
  }, [key, part, round]);
  const hasFailed = result.key === key && result.error !== undefined;
  useEffect(() => {
    if (!hasFailed) return;
    addEventListener("online", again);
    return () => removeEventListener("online", again);
  }, [hasFailed, again]);
  const set = (value: Value) => setResult({ key, value });
  const change = (by: (value: Value) => Value) => {
    setResult((before) => (before.value === undefined ? before : { ...before, value: by(before.value) }));
    again();
  };
  return result.key === key ? { ...result, again, set, change } : { again, set, change };
}

/** A message for an error: the service's own text, a failed dependency, or no connection, and when to retry. */
export function explainError(error: unknown): string {
  if (error instanceof PlatformError && error.status === 412) return t("changed.meanwhile");
  if (error instanceof FormSubmissionBlockedError) return error.message;
  const seconds = retryAfterSecondsOrZero(error);
  const again = seconds > 0 && t("error.again.in", { when: formatSecondsFromNow(seconds) });
  if (
    error instanceof StreamError ||
    (error instanceof PlatformError && (error.status < 500 || isNamed(error)))
  )
    return again ? `${wordsOf(error)}. ${again}` : wordsOf(error);
  if (error instanceof PlatformError)
    return `${t("error.service", { status: error.status })} ${again || t("error.again")}`;
  return navigator.onLine ? t("error.unreachable") : t("error.no.network");
}

/** A 422's entries with their fields. */
const wordsOf = (error: PlatformError | StreamError): string =>
  error instanceof PlatformError && typeof error.detail !== "string"
    ? assignIssuesToFields(error, []).rest
    : error.message;

/** Whether the failure is a known one with a code. */
const isNamed = ({ status, code }: PlatformError): boolean => status === 503 && code !== undefined;

type QueryBoundaryProps<Value> = {
  of: QueryHookResult<Value>;
  children: (value: Value) => ComponentChildren;
};

/** Renders the value, a loading state, or the error with a retry button. */
export function QueryBoundary<Value>({ of: query, children }: QueryBoundaryProps<Value>) {
  if (query.error !== undefined)
    return (
      <Notice kind="error" action={{ label: t("try.again"), run: query.again, refusal: query.error }}>
        {explainError(query.error)}
      </Notice>
    );
  if (query.value === undefined)
    return (
      <div class="skeleton" role="status">
        <span class="unseen">{t("loading")}</span>
      </div>
    );
  return <>{children(query.value)}</>;
}
