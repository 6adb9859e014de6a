import type { components } from "./api.ts";

export type FieldIssue = {
  loc: (string | number)[];
  msg: string;
  type: string;
  ctx?: Record<string, string | number>;
};

/** The header for a conditional write: `client.setItemGrade({ params: { path, header: ifMatch(3) }, body })`. */
export const ifMatch = (version: number): { "If-Match": string } => ({ "If-Match": `"${version}"` });

/** The body of an error: a sentence, or a list with an entry for each field (422). */
export type ErrorBody = { detail: string | FieldIssue[] };

export type TutorQuestion = components["schemas"]["TutorQuestion"];

/** An error response as an exception, for callers that prefer it to checking `error`. */
export class PlatformError extends Error {
  override name = "PlatformError";
  readonly status: number;
  readonly detail: ErrorBody["detail"];
  /** The error code, as listed in the API document. Undefined if a gateway answered. */
  readonly code: string | undefined;
  /** The request's field that caused the error, if the service names one. In a 422 each entry has its own. */
  readonly field: string | undefined;
  /** Retry-After in seconds, if the service sent one (409, 429, 503). */
  readonly retryAfterSeconds: number | undefined;
  /** The current state after a failed `If-Match` (412), or the last question after an outdated choice (409). */
  readonly current: unknown;
  /** The request's ID in the service's log. */
  readonly requestId: string | undefined;

  constructor(response: Response, body: unknown) {
    const detail = detailOf(body) ?? response.statusText;
    super(typeof detail === "string" ? detail : detail.map(({ msg }) => msg).join(". "));
    this.status = response.status;
    this.detail = detail;
    this.code = response.headers.get("X-Error-Code") ?? undefined;
    this.field = response.headers.get("X-Error-Field") ?? undefined;
    this.retryAfterSeconds = Number(response.headers.get("Retry-After")) || undefined;
    this.current = typeof body === "object" && body !== null && "current" in body ? body.current : undefined;
    this.requestId = response.headers.get("X-Request-ID") ?? undefined;
  }
}

/** A gateway may have answered in another format. */
function detailOf(body: unknown): ErrorBody["detail"] | undefined {
  const detail = typeof body === "object" && body !== null && "detail" in body ? body.detail : undefined;
  return typeof detail === "string" || Array.isArray(detail) ? detail : undefined;
}

/** Returns an operation's data or throws a `PlatformError`. */
export async function dataOf<Data>(
  answer: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new PlatformError(response, error);
  return data as Data;
}
