import type { components } from "./api.ts";

/** Why one field of a request was refused, in the answer with status 422. */
export type Fault = {
  loc: (string | number)[];
  msg: string;
  type: string;
  ctx?: Record<string, string | number>;
};

/** The header of a write that is made only to this version of a thing: `client.setItemGrade({ params: { path, header: ifMatch(3) }, body })`. */
export const ifMatch = (version: number) => ({ "If-Match": `"${version}"` });

/** What the service says when it refuses: a sentence, or a list with an entry for each field (422). */
export type ErrorBody = { detail: string | Fault[] };

/** A multiple-choice question of the tutor. */
export type TutorQuestion = components["schemas"]["TutorQuestion"];

/** An answer of the service that is an error, for whoever would rather catch it than look at `error`. */
export class PlatformError extends Error {
  override name = "PlatformError";
  readonly status: number;
  readonly detail: ErrorBody["detail"];
  /** The rule that refuses, of those that the API document lists; undefined where a gateway on the way answered. */
  readonly code: string | undefined;
  /** The field of the request that it is about, where the service names one; of a 422 each entry says its own. */
  readonly field: string | undefined;
  /** After how many seconds it is worth while to ask again, where the service says so (409, 429, 503). */
  readonly retryAfterSeconds: number | undefined;
  /** What the thing is by now that `If-Match` expected to be another version (412). */
  readonly current: unknown;
  /** By which the service's log knows the request. */
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

/** A gateway on the way may have answered in its own words. */
function detailOf(body: unknown): ErrorBody["detail"] | undefined {
  const detail = typeof body === "object" && body !== null && "detail" in body ? body.detail : undefined;
  return typeof detail === "string" || Array.isArray(detail) ? detail : undefined;
}

/** What an operation answered: its data, or a `PlatformError` thrown. */
export async function dataOf<Data>(
  answer: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new PlatformError(response, error);
  return data as Data;
}
