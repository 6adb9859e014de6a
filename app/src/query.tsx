import { PlatformError } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { issuesAt } from "./components/field-issues.ts";
import { Notice } from "./components/notice.tsx";
import { fromNow } from "./format.ts";
import { AnswerRefused, NotYet, secondsToWait } from "./refusals.ts";
import { t } from "./texts.ts";

/** Longer than any answer takes: what has not come by then is said not to come. */
const timeoutMs = 20_000;

export type Query<Value> = {
  value?: Value;
  error?: unknown;
  /** Reads again; what is shown stays until the answer is there. */
  again(): void;
  /** Puts a value in place of what was read, such as the answer to a change. */
  set(value: Value): void;
  /** Shows what was read with a change in it, and reads again: a reading under way may know nothing of the change. */
  change(by: (value: Value) => Value): void;
};

/**
 * Reads something whenever one of the keys changes, and once more when the network is back after a failure. Where only `part`
 * changes, such as how much of a list is wanted, what is shown stays until the answer is there.
 */
export function useQuery<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  keys: readonly unknown[],
  part?: number,
): Query<Value> {
  const [round, setRound] = useState(0);
  const [result, setResult] = useState<{ key: string; value?: Value; error?: unknown }>({ key: "" });
  const key = JSON.stringify(keys);
  const again = useCallback(() => setRound((count) => count + 1), []);
  // What is read follows from the keys.
  useEffect(() => {
    const left = new AbortController();
    let isBack = false;
    const note = () => {
      isBack = true;
    };
    addEventListener("online", note, { signal: left.signal });
    read(AbortSignal.any([left.signal, AbortSignal.timeout(timeoutMs)])).then(
      (value) => left.signal.aborted || setResult({ key, value }),
      // The request may have been sent before the network was back.
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

/**
 * What an error says to people: the service's own words, of a failure those for what it cannot reach, or that it cannot be
 * reached itself, and when to try again.
 */
export function explain(error: unknown): string {
  if (error instanceof PlatformError && error.status === 412) return t("changed.meanwhile");
  if (error instanceof NotYet) return error.message;
  const seconds = secondsToWait(error);
  const again = seconds > 0 && t("error.again.in", { when: fromNow(seconds) });
  if (
    error instanceof AnswerRefused ||
    (error instanceof PlatformError && (error.status < 500 || isNamed(error)))
  )
    return again ? `${wordsOf(error)}. ${again}` : wordsOf(error);
  if (error instanceof PlatformError)
    return `${t("error.service", { status: error.status })} ${again || t("error.again")}`;
  return navigator.onLine ? t("error.unreachable") : t("error.no.network");
}

/** Of a 422 each fault with the field that it is about. */
const wordsOf = (error: PlatformError | AnswerRefused): string =>
  error instanceof PlatformError && typeof error.detail !== "string"
    ? issuesAt(error, []).rest
    : error.message;

/** Whether a failure is one that the service knows, and has a code for. */
const isNamed = ({ status, code }: PlatformError): boolean => status === 503 && code !== undefined;

type QueryBoundaryProps<Value> = {
  of: Query<Value>;
  children: (value: Value) => ComponentChildren;
};

/** What was read; until then that it is being read, and why it was not, with a button to try again. */
export function QueryBoundary<Value>({ of: query, children }: QueryBoundaryProps<Value>) {
  if (query.error !== undefined)
    return (
      <Notice kind="error" action={{ label: t("try.again"), run: query.again, refusal: query.error }}>
        {explain(query.error)}
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
