/** The database cannot be reached, or the connection broke while it worked. `cause` is the driver's own error. */
export class DatabaseUnavailable extends Error {
  override name = "DatabaseUnavailable";
}

/** True for an error that means "no database just now", wherever in the chain of causes: the answer is a 503. */
export function isUnavailable(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause)
    if (link instanceof DatabaseUnavailable) return true;
  return false;
}

/** A driver's error as it should travel on: failures of the connection become `DatabaseUnavailable`. */
export function translateDriverError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !isConnectionFailure(error)) return error;
  return new DatabaseUnavailable(`The database cannot be reached: ${messageOf(error)}`, { cause: error });
}

/** The server ended the session; a prepared statement or its plan was lost: the statement has not begun. */
const cameInsteadOfWork = new Set(["57P01", "26000", "42P05", "0A000"]);

/**
 * Whether a statement that ended in this error may be sent again, one that was sent alone, outside of a transaction.
 * After an error that came instead of its work, or ended the session in place of it, which is rolled back, any may;
 * and after 40P01, a deadlock: it gave this statement up, rolled it back whole, and let the others go on.
 * After a connection that just broke nobody knows whether a write was done, so only reads may; and never after
 * a timeout, which would only double the wait.
 */
export function mayRepeat(error: unknown, text: string): boolean {
  if (sqlStateOf(error) === "40P01") return true;
  if (!(error instanceof DatabaseUnavailable)) return false;
  if (cameInsteadOfWork.has(sqlStateOf(error.cause) ?? "")) return true;
  return onlyReads(text) && !/timeout|timed out/i.test(messageOf(error.cause));
}

/** Connection exceptions, a server that shuts down or starts up, and one that has no connection to spare. */
const unavailableStates = /^(08...|57P01|57P02|57P03|53300)$/;

const connectionMessages = /connect|terminated|timeout|timed out|not queryable|server error/i;

function isConnectionFailure(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state) return unavailableStates.test(state);
  // A WebSocket reports its failure as an event, which is no Error and says nothing.
  if (!(error instanceof Error)) return true;
  return /^(E[A-Z]+|EAI_AGAIN|UND_ERR_\w+)$/.test(codeOf(error)) || connectionMessages.test(error.message);
}

/** SQLSTATE classes start with a digit, F, H, P or X, which tells them from system codes such as EPIPE. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = codeOf(error);
  return /^[\dFHPX][\dA-Z]{4}$/.test(code) ? code : undefined;
}

/** PostgreSQL's own functions that statements of the service begin with or read their rows from; they write nothing. */
const builtIn =
  /^(jsonb?_\w+|array_agg|string_agg|coalesce|count|distinct|exists|max|min|sum|round|unnest|generate_series)$/i;

/** A function of ours may write: a statement that calls one where it reads its rows from is not taken for a read. */
function onlyReads(text: string): boolean {
  if (!/^\s*(select|with|begin)\b/i.test(text) || /\b(insert|update|delete|merge)\b/i.test(text))
    return false;
  const called = text.matchAll(/\b(?:from|join|lateral|select)\s+(\w+)\s*\(/gi);
  return [...called].every(([, name = ""]) => builtIn.test(name));
}

function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && Reflect.get(error, "code");
  return typeof code === "string" ? code : "";
}

function messageOf(error: unknown): string {
  return (error instanceof Error && error.message) || codeOf(error) || "the connection was closed";
}
