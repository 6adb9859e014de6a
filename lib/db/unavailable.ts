/** The database cannot be reached, or the connection broke while it worked. `cause` is the driver's own error. */
export class DatabaseUnavailable extends Error {
  override name = "DatabaseUnavailable";
}

/** The database is there and refused: nothing was done, and the connection is as it was. `cause` says why. */
export class DatabaseBusy extends DatabaseUnavailable {
  override name = "DatabaseBusy";
}

/** The statement did no work, and its connection is gone or as it was: it may be sent again. */
export class NothingDone extends DatabaseUnavailable {
  override name = "NothingDone";
}

/** True for an error that means "no database just now", wherever in the chain of causes: the answer is a 503. */
export function isUnavailable(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause)
    if (link instanceof DatabaseUnavailable) return true;
  return false;
}

/** True for an error that means that the database refused, for now, and did nothing. */
export function isRefused(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause)
    if (link instanceof DatabaseBusy) return true;
  return false;
}

/**
 * A driver's error as it should travel on: failures of the connection become `DatabaseUnavailable`, and what the server
 * refuses for a while `DatabaseBusy`.
 */
export function translateDriverError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error;
  if (refusedStates.test(sqlStateOf(error) ?? ""))
    return new DatabaseBusy(`The database refuses for now: ${messageOf(error)}`, { cause: error });
  if (!isConnectionFailure(error)) return error;
  return new DatabaseUnavailable(`The database cannot be reached: ${messageOf(error)}`, { cause: error });
}

/** The server ended the session; a prepared statement or its plan was lost: the statement has not begun. */
const cameInsteadOfWork = new Set(["57P01", "26000", "42P05", "0A000"]);

/**
 * Whether a statement that ended in this error may be sent again, one that was sent alone, outside of a transaction.
 * After an error that came instead of its work, or ended the session in place of it, which is rolled back, any may;
 * and after 40P01, a deadlock: it gave this statement up, rolled it back whole, and let the others go on.
 * After a connection that just broke nobody knows whether a write was done, so only what is `repeatable` may; and never after
 * a timeout, or what else the server refuses for a while, which would only double the wait.
 */
export function mayRepeat(error: unknown, { repeatable }: { repeatable: boolean }): boolean {
  if (sqlStateOf(error) === "40P01" || error instanceof NothingDone) return true;
  if (!(error instanceof DatabaseUnavailable) || error instanceof DatabaseBusy) return false;
  if (cameInsteadOfWork.has(sqlStateOf(error.cause) ?? "")) return true;
  return repeatable && !/timeout|timed out/i.test(messageOf(error.cause));
}

/** No disk, memory or connection to spare; a lock that others hold for too long. */
const refusedStates = /^(53...|55P03)$/;

/**
 * Connection exceptions, a server that shuts down or starts up, one that ended a session which stood idle, and one that
 * takes no writes: another connection may lead to the one that does.
 */
const unavailableStates = /^(08...|57P01|57P02|57P03|57P05|25P03|25P04|25006)$/;

const connectionMessages = /connect|terminated|timeout|timed out|not queryable|server error/i;

function isConnectionFailure(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state) return unavailableStates.test(state);
  // A WebSocket reports its failure as an event, which is no Error and says nothing.
  if (!(error instanceof Error)) return true;
  return /^(E[A-Z]+|EAI_AGAIN|UND_ERR_\w+)$/.test(codeOf(error)) || connectionMessages.test(error.message);
}

/** Whether the database takes no writes, or the transaction was begun as one that only reads. */
export const isReadOnlyRefusal = (error: unknown): boolean => sqlStateOf(error) === "25006";

/** Whether the database refused a value (SQLSTATE class 22) or a row (class 23), and would refuse it again. */
export function isPermanentRefusal(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause)
    if (/^2[23]/.test(sqlStateOf(link) ?? "")) return true;
  return false;
}

/** What the database cannot do, by the first of these that its SQLSTATE begins with. */
const reasons = [
  ["53100", "database_disk_full"],
  ["53300", "database_connections_used_up"],
  ["53", "database_short_of_resources"],
  ["55P03", "database_lock_held"],
  ["25006", "database_read_only"],
  ["57P", "database_restarting"],
] as const;

/** Why an `isUnavailable` error came, as whoever asked is told, and the code of what the driver was told. */
export function reasonOf(error: unknown) {
  let code = "";
  for (let link = error; link instanceof Error; link = link.cause) code ||= codeOf(link);
  const known = reasons.find(([state]) => code.startsWith(state))?.[1];
  const unknown = isRefused(error) ? "database_busy" : "database_unreachable";
  return { reason: known ?? unknown, code } as const;
}

/** SQLSTATE classes start with a digit, F, H, P or X, which tells them from system codes such as EPIPE. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = codeOf(error);
  return /^[\dFHPX][\dA-Z]{4}$/.test(code) ? code : undefined;
}

function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && Reflect.get(error, "code");
  return typeof code === "string" ? code : "";
}

function messageOf(error: unknown): string {
  return (error instanceof Error && error.message) || codeOf(error) || "the connection was closed";
}
