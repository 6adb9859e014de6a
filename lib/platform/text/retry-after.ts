/** In seconds. */
const maxRetryAfterSeconds = 60 * 60;

/** Seconds of a `Retry-After` header, at most an hour, which may be a date (RFC 9110); undefined if invalid. */
export function parseRetryAfterSeconds(
  retryAfter: string | null | undefined,
  now = Date.now(),
): number | undefined {
  const said = retryAfter?.trim() ?? "";
  const seconds = /^\d{1,9}(\.\d+)?$/.test(said) ? Number(said) : (httpDate(said) - now) / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), maxRetryAfterSeconds) : undefined;
}

const httpDate = (text: string): number =>
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text) ? Date.parse(text) : Number.NaN;
