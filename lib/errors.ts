import {
  type ErrorCode,
  formatErrorMessage,
  type MessageValue,
  type MessageValuesFor,
  notFoundCode,
  type ResourceName,
} from "./error-codes.ts";

export type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 422 | 429 | 499 | 500 | 503;

/** Response `{ "detail": detail }` with `X-Error-Code` and, if it is about a field, `X-Error-Field`. */
export class HttpError extends Error {
  override name = "HttpError";
  readonly status: ErrorStatus;
  readonly code: string;
  /** In the body's form: `config.model`. */
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The state that the request did not expect, as the caller may read it. In the body as `current`. */
  readonly current: object | undefined;
  /** Of the message's placeholders. */
  readonly values: Readonly<Record<string, MessageValue>>;

  constructor(
    status: ErrorStatus,
    code: string,
    detail: string,
    options: {
      field?: string;
      headers?: Record<string, string>;
      values?: Readonly<Record<string, MessageValue>>;
      cause?: unknown;
      current?: object;
    } = {},
  ) {
    super(detail, { cause: options.cause });
    this.status = status;
    this.code = code;
    this.field = options.field;
    this.headers = options.headers ?? {};
    this.current = options.current;
    this.values = options.values ?? {};
  }
}

/** A 412: `{ detail, current }`, with the current resource. */
export class PreconditionFailed extends HttpError {
  override name = "PreconditionFailed";

  constructor(current: object) {
    super(412, "changed_meanwhile", formatErrorMessage("changed_meanwhile"), { current });
  }
}

/** FastAPI's types of issues in a 422; `/app` has a message for each. */
export const issueTypes = [
  ...["bool_parsing", "bool_type", "date_from_datetime_parsing", "datetime_parsing", "dict_type", "enum"],
  ...["extra_forbidden", "float_type", "greater_than", "greater_than_equal", "int_parsing", "int_type"],
  ...["json_invalid", "less_than", "less_than_equal", "list_type", "missing", "multiple_of"],
  ...["string_too_long", "string_too_short", "string_type", "too_long", "too_short", "value_error"],
] as const;
export type IssueType = (typeof issueTypes)[number];

/**
 * `loc` is such as `["body", "email"]`. `ctx` has limits under FastAPI's names: `min_length` and
 * `max_length`, `ge`, `gt`, `le` and `lt`, `multiple_of`, `expected`.
 */
export type FieldIssue = {
  loc: (string | number)[];
  msg: string;
  type: IssueType;
  ctx?: Record<string, string | number>;
};

/** A 422: `{ "detail": [FieldIssue, …] }`, limited in size. */
export class ValidationError extends Error {
  override name = "ValidationError";
  readonly issues: readonly FieldIssue[];

  constructor(issues: readonly FieldIssue[]) {
    const listed = firstOf(issues);
    super(listed.map((issue) => `${issue.loc.join(".")}: ${issue.msg}`).join("; "));
    this.issues = listed;
  }
}

export const maxReportedIssues = 100;
const maxIssueKeyCharacters = 128;
/** Total length of keys: a hundred issues may share the same sixty long keys. */
const maxTotalIssueKeyCharacters = 16_384;

function firstOf(issues: readonly FieldIssue[]): FieldIssue[] {
  const listed: FieldIssue[] = [];
  let length = 0;
  for (const issue of issues) {
    const loc = issue.loc.map((step) => (typeof step === "string" ? cut(step) : step));
    length += loc.join("").length;
    if (listed.length === maxReportedIssues || (listed.length > 0 && length > maxTotalIssueKeyCharacters))
      break;
    listed.push({ ...issue, loc });
  }
  return listed;
}

/** A key's first characters, without splitting surrogate pairs. */
const cut = (key: string): string =>
  key.length <= maxIssueKeyCharacters
    ? key
    : [...key.slice(0, 2 * maxIssueKeyCharacters)].slice(0, maxIssueKeyCharacters).join("");

export const httpErrorFromCode = (
  status: ErrorStatus,
  code: ErrorCode,
  values: readonly Record<string, MessageValue>[] = [],
  options: { headers?: Record<string, string>; cause?: unknown; current?: object } = {},
) => {
  const field = values[0]?.["field"];
  return new HttpError(status, code, formatErrorMessage(code, values[0]), {
    ...options,
    ...(values[0] && { values: values[0] }),
    ...(typeof field === "string" && { field }),
  });
};

/** The `thing` of an error about a field's value: `Course code 'PHY101'`, and the field. */
export const fieldValueMessagePlaceholders = (resource: string, field: string, value: MessageValue) => ({
  thing: `${resource} ${field} '${value}'`,
  field,
});

const retryAfter = (seconds: number) => ({ headers: { "Retry-After": String(seconds) } });

export const badRequest = <Code extends ErrorCode>(code: Code, ...values: MessageValuesFor<Code>) =>
  httpErrorFromCode(400, code, values);

export const nonexistentFileBadRequest = (id: number) =>
  badRequest("does_not_exist", { thing: `File ${id}` });

/** For the database's refusal `no file 12`; undefined for others. */
export function nonexistentFileErrorFromRefusal(refusal: string | null): HttpError | undefined {
  const id = /^no file (\d+)$/.exec(refusal ?? "")?.[1];
  return id === undefined ? undefined : nonexistentFileBadRequest(Number(id));
}

export const forbidden = <Code extends ErrorCode = "not_enough_permissions">(
  code?: Code,
  ...values: MessageValuesFor<Code>
) => httpErrorFromCode(403, code ?? "not_enough_permissions", values);

export const inactiveUserError = () => forbidden("account_inactive");

export const inactiveUniversityError = () => forbidden("inactive_university");

/** `notFound("Course")` is a 404 `Course not found`; `named` gives a more specific name. */
export const notFound = (resource: ResourceName, named: string = resource) =>
  new HttpError(404, notFoundCode(resource), `${named} not found`);

/** It existed but was deleted. */
export const goneError = <Code extends ErrorCode>(code: Code, ...values: MessageValuesFor<Code>) =>
  httpErrorFromCode(410, code, values);

/** With the current state, if there is one. */
export const conflictWithCurrentState = (code: ErrorCode, current: object | undefined) =>
  httpErrorFromCode(409, code, [], current ? { current } : {});

/** The caller may retry after the given seconds. */
export const conflict = <Code extends ErrorCode>(
  code: Code,
  retryAfterSeconds?: number,
  ...values: MessageValuesFor<Code>
) =>
  httpErrorFromCode(409, code, values, retryAfterSeconds === undefined ? {} : retryAfter(retryAfterSeconds));

/** The caller may retry after the given seconds. */
export const tooManyRequests = <Code extends ErrorCode>(
  code: Code,
  retryAfterSeconds: number,
  ...values: MessageValuesFor<Code>
) => httpErrorFromCode(429, code, values, retryAfter(retryAfterSeconds));

const hour = 60 * 60 * 1000;

/** For limits per clock hour (schema/functions/platform/rate-limits.sql): Retry-After is the next hour. */
export const hourlyLimitError = (code: "too_many_wrong_keys", now: Date) =>
  tooManyRequests(code, Math.ceil((hour - (now.getTime() % hour)) / 1000));

/** The token is missing, invalid, expired or of another kind, or its user is gone. */
export const unauthorized = <Code extends ErrorCode = "credentials_invalid">(
  code?: Code,
  ...values: MessageValuesFor<Code>
) =>
  httpErrorFromCode(401, code ?? "credentials_invalid", values, {
    headers: { "WWW-Authenticate": "Bearer" },
  });

/** The caller may retry after the given seconds, never for 0. */
export const unavailable = <Code extends ErrorCode>(
  code: Code,
  cause?: unknown,
  retryAfterSeconds = 5,
  ...values: MessageValuesFor<Code>
) =>
  httpErrorFromCode(503, code, values, {
    ...(retryAfterSeconds > 0 && retryAfter(retryAfterSeconds)),
    cause,
  });

/** Logged with the status that proxies use. */
export const clientClosedRequestError = () => httpErrorFromCode(499, "caller_left");

/** A 422 for a rule that the body's schema cannot express. */
export const invalidField = (
  path: (string | number)[],
  msg: string,
  type: IssueType = "value_error",
  ctx?: FieldIssue["ctx"],
) => new ValidationError([{ loc: ["body", ...path], msg, type, ...(ctx && { ctx }) }]);
