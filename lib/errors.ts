import {
  type ErrorCode,
  notFoundCode,
  type Resource,
  type Value,
  type ValuesOf,
  wordsOf,
} from "./error-codes.ts";

/** Statuses that the service answers on purpose; anything else that is thrown is a 500. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 422 | 429 | 499 | 500 | 503;

/**
 * An answer that is an error: `{ "detail": detail }` with its status, its code in `X-Error-Code`, and the field that it is
 * about, where there is one, in `X-Error-Field`. Verbs throw it, the shell answers it.
 */
export class HttpError extends Error {
  override name = "HttpError";
  readonly status: ErrorStatus;
  readonly code: string;
  /** The field of the request that it is about, as the body has it: `config.model`. */
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ErrorStatus,
    code: string,
    detail: string,
    options: { field?: string; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause });
    this.status = status;
    this.code = code;
    this.field = options.field;
    this.headers = options.headers ?? {};
  }
}

/** A 412: the thing is not as the caller expects. `{ detail, current }`, with what it is now as they may read it. */
export class PreconditionFailed extends HttpError {
  override name = "PreconditionFailed";
  readonly current: object;

  constructor(current: object) {
    super(412, "changed_meanwhile", wordsOf("changed_meanwhile"));
    this.current = current;
  }
}

/** Each kind of fault that a 422 may name, as FastAPI does; `/app` has a sentence for each in the faults of its texts. */
export const faultTypes = [
  ...["bool_parsing", "bool_type", "date_from_datetime_parsing", "datetime_parsing", "dict_type", "enum"],
  ...["extra_forbidden", "float_type", "greater_than", "greater_than_equal", "int_parsing", "int_type"],
  ...["json_invalid", "less_than", "less_than_equal", "list_type", "missing", "multiple_of"],
  ...["string_too_long", "string_too_short", "string_type", "too_long", "too_short", "value_error"],
] as const;
export type FaultType = (typeof faultTypes)[number];

/**
 * One failing field: where it is (`["body", "email"]`), what is wrong, the kind of fault, and what of it depends on the field,
 * in FastAPI's names: `min_length` and `max_length`, `ge`, `gt`, `le` and `lt`, `multiple_of`, `expected`.
 */
export type FieldIssue = {
  loc: (string | number)[];
  msg: string;
  type: FaultType;
  ctx?: Record<string, string | number>;
};

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

/** A refusal with the words of its code; a value that is a `field` is the one that it is about. */
export const refusal = (
  status: ErrorStatus,
  code: ErrorCode,
  values: readonly Record<string, Value>[] = [],
  options: { headers?: Record<string, string>; cause?: unknown } = {},
) => {
  const field = values[0]?.["field"];
  return new HttpError(status, code, wordsOf(code, values[0]), {
    ...options,
    ...(typeof field === "string" && { field }),
  });
};

/** The `thing` of a refusal that is a field's value: `Course code 'PHY101'`, and its field. */
export const atField = (resource: string, field: string, value: Value) => ({
  thing: `${resource} ${field} '${value}'`,
  field,
});

const retryAfter = (seconds: number) => ({ headers: { "Retry-After": String(seconds) } });

export const badRequest = <Code extends ErrorCode>(code: Code, ...values: ValuesOf<Code>) =>
  refusal(400, code, values);

/** A file that is not there, or may not be put where it was to be. */
export const noSuchFile = (id: number) => badRequest("does_not_exist", { thing: `File ${id}` });

/** The same for a refusal of the database, `no file 12`; undefined for any other. */
export function misplacedFile(refusal: string | null): HttpError | undefined {
  const id = /^no file (\d+)$/.exec(refusal ?? "")?.[1];
  return id === undefined ? undefined : noSuchFile(Number(id));
}

export const forbidden = <Code extends ErrorCode = "not_enough_permissions">(
  code?: Code,
  ...values: ValuesOf<Code>
) => refusal(403, code ?? "not_enough_permissions", values);

/** The account is there, and switched off. */
export const inactiveUser = () => forbidden("account_inactive");

/** The university is there, and switched off. */
export const inactiveUniversity = () => forbidden("inactive_university");

/** `notFound("Course")` is a 404 `Course not found`; `named` says more exactly which. */
export const notFound = (resource: Resource, named: string = resource) =>
  new HttpError(404, notFoundCode(resource), `${named} not found`);

/** What was there is not kept any more. */
export const gone = <Code extends ErrorCode>(code: Code, ...values: ValuesOf<Code>) =>
  refusal(410, code, values);

/** What is just happening forbids it; the caller may try again after the given seconds. */
export const conflict = <Code extends ErrorCode>(
  code: Code,
  retryAfterSeconds?: number,
  ...values: ValuesOf<Code>
) => refusal(409, code, values, retryAfterSeconds === undefined ? {} : retryAfter(retryAfterSeconds));

/** Too often, or too much, for now; the caller may try again after the given seconds. */
export const tooManyRequests = <Code extends ErrorCode>(
  code: Code,
  retryAfterSeconds: number,
  ...values: ValuesOf<Code>
) => refusal(429, code, values, retryAfter(retryAfterSeconds));

const hour = 60 * 60 * 1000;

/** The same of a limit by the hour of the clock (schema/functions/rate-limits.sql): the next hour begins anew. */
export const hourlyLimitReached = (code: "too_many_wrong_keys", now: Date) =>
  tooManyRequests(code, Math.ceil((hour - (now.getTime() % hour)) / 1000));

/** The token is missing, wrong, expired or of another kind, or its user is gone. */
export const unauthorized = <Code extends ErrorCode = "credentials_invalid">(
  code?: Code,
  ...values: ValuesOf<Code>
) => refusal(401, code ?? "credentials_invalid", values, { headers: { "WWW-Authenticate": "Bearer" } });

/** The database or a provider is out of reach; the caller may try again after the given seconds. */
export const unavailable = <Code extends ErrorCode>(
  code: Code,
  cause?: unknown,
  retryAfterSeconds = 5,
  ...values: ValuesOf<Code>
) => refusal(503, code, values, { ...retryAfter(retryAfterSeconds), cause });

/** Nobody is there to be answered any more; the log tells of it by the status that proxies give it. */
export const callerLeft = () => refusal(499, "caller_left");

/** A 422 for a rule that the body's schema cannot state, at a field of the body. */
export const invalidField = (
  path: (string | number)[],
  msg: string,
  type: FaultType = "value_error",
  ctx?: FieldIssue["ctx"],
) => new ValidationError([{ loc: ["body", ...path], msg, type, ...(ctx && { ctx }) }]);
