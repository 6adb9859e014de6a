/** Statuses that the service answers on purpose; anything else that is thrown is a 500. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 422 | 429 | 499 | 500 | 503;

/** An answer that is an error: `{ "detail": detail }` with its status. Verbs throw it, the shell answers it. */
export class HttpError extends Error {
  override name = "HttpError";
  readonly status: ErrorStatus;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ErrorStatus,
    detail: string,
    options: { headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause });
    this.status = status;
    this.headers = options.headers ?? {};
  }
}

/** A 412: the thing is not as the caller expects. `{ detail, current }`, with what it is now as they may read it. */
export class PreconditionFailed extends HttpError {
  override name = "PreconditionFailed";
  readonly current: object;

  constructor(current: object) {
    super(412, "This has changed since it was read: look at what it is now");
    this.current = current;
  }
}

/** One failing field: where it is (`["body", "email"]`), what is wrong, and the kind of fault. */
export type FieldIssue = { loc: (string | number)[]; msg: string; type: string };

/** A 422: `{ "detail": [FieldFault, …] }`, which stays small whatever was sent. */
export class ValidationError extends Error {
  override name = "ValidationError";
  readonly faults: readonly FieldIssue[];

  constructor(faults: readonly FieldIssue[]) {
    const listed = firstOf(faults);
    super(listed.map((fault) => `${fault.loc.join(".")}: ${fault.msg}`).join("; "));
    this.faults = listed;
  }
}

/** How many faults a 422 lists at most; nobody needs to look for more. */
export const mostIssues = 100;
const longestKey = 128;
/** Of all keys together: a hundred faults may lie below the same sixty long ones. */
const mostOfKeys = 16_384;

/** The faults that are listed, with the caller's keys cut: the first one always, the others while they are few and short. */
function firstOf(faults: readonly FieldIssue[]): FieldIssue[] {
  const listed: FieldIssue[] = [];
  let length = 0;
  for (const fault of faults) {
    const loc = fault.loc.map((step) => (typeof step === "string" ? cut(step) : step));
    length += loc.join("").length;
    if (listed.length === mostIssues || (listed.length > 0 && length > mostOfKeys)) break;
    listed.push({ ...fault, loc });
  }
  return listed;
}

/** A key's first characters; a pair of surrogates stays whole. */
const cut = (key: string): string =>
  key.length <= longestKey ? key : [...key.slice(0, 2 * longestKey)].slice(0, longestKey).join("");

export const badRequest = (detail: string) => new HttpError(400, detail);

/** A file that is not there, or may not be put where it was to be. */
export const noSuchFile = (id: number) => badRequest(`File ${id} does not exist`);

/** The same for a refusal of the database, `no file 12`; undefined for any other. */
export function misplacedFile(refusal: string | null): HttpError | undefined {
  const id = /^no file (\d+)$/.exec(refusal ?? "")?.[1];
  return id === undefined ? undefined : noSuchFile(Number(id));
}

export const forbidden = (detail = "Not enough permissions") => new HttpError(403, detail);

/** The account is there, and switched off. */
export const inactiveUser = () => forbidden("Inactive user");

/** The university is there, and switched off. */
export const inactiveUniversity = () => forbidden("Inactive university");

/** `notFound("Course")` is a 404 `Course not found`. */
export const notFound = (resource: string) => new HttpError(404, `${resource} not found`);

/** What is just happening forbids it; the caller may try again after the given seconds. */
export const conflict = (detail: string, retryAfterSeconds?: number) =>
  new HttpError(
    409,
    detail,
    retryAfterSeconds === undefined ? {} : { headers: { "Retry-After": String(retryAfterSeconds) } },
  );

/** Too often, or too much, for now; the caller may try again after the given seconds. */
export const tooManyRequests = (detail: string, retryAfterSeconds: number) =>
  new HttpError(429, detail, { headers: { "Retry-After": String(retryAfterSeconds) } });

const hour = 60 * 60 * 1000;

/** The same of a limit by the hour of the clock (schema/functions/rate-limits.sql): the next hour begins anew. */
export const hourlyLimitReached = (detail: string, now: Date) =>
  tooManyRequests(detail, Math.ceil((hour - (now.getTime() % hour)) / 1000));

/** The token is missing, wrong, expired or of another kind, or its user is gone. */
export const unauthorized = (detail = "Could not validate credentials") =>
  new HttpError(401, detail, { headers: { "WWW-Authenticate": "Bearer" } });

/** The database or a provider is out of reach; the caller may try again after the given seconds. */
export const unavailable = (detail: string, cause?: unknown, retryAfterSeconds = 5) =>
  new HttpError(503, detail, { headers: { "Retry-After": String(retryAfterSeconds) }, cause });

/** Nobody is there to be answered any more; the log tells of it by the status that proxies give it. */
export const callerLeft = () => new HttpError(499, "The caller left");

/** A 422 for a rule that the body's schema cannot state, at a field of the body. */
export const invalidField = (path: (string | number)[], msg: string, type = "value_error") =>
  new ValidationError([{ loc: ["body", ...path], msg, type }]);
