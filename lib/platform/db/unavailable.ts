/** The database is unreachable, or the connection broke. `cause` is the driver's error. */
export class DatabaseUnavailable extends Error {
  override name = "DatabaseUnavailable";
}

/** The database refused temporarily: nothing was done, and the connection is intact. */
export class DatabaseBusy extends DatabaseUnavailable {
  override name = "DatabaseBusy";
}

/** The statement did nothing and may be sent again: its connection is intact or closed. */
export class StatementNotExecuted extends DatabaseUnavailable {
  override name = "StatementNotExecuted";
}

/** A connection failure anywhere in the chain of causes: the answer is 503. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause)
    if (link instanceof DatabaseUnavailable) return true;
  return false;
}

export function isDatabaseBusy(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause)
    if (link instanceof DatabaseBusy) return true;
  return false;
}

/** Connection failures become `DatabaseUnavailable`, temporary refusals `DatabaseBusy`. */
export function translateDriverError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error;
  if (refusedStates.test(sqlStateOf(error) ?? ""))
    return new DatabaseBusy(`The database rejects requests at the moment: ${messageOf(error)}`, {
      cause: error,
    });
  if (!isConnectionFailure(error)) return error;
  return new DatabaseUnavailable(`The database cannot be reached: ${messageOf(error)}`, { cause: error });
}

/** The session ended, or a prepared statement or its plan was lost: the statement has not begun. */
const cameInsteadOfWork = new Set(["57P01", "26000", "42P05", "0A000"]);

/**
 * True if a single statement outside a transaction may be sent again. Always after a deadlock (40P01) or an
 * error that replaced or rolled back its work. After a broken connection only if `repeatable`, since the
 * write may have happened. Never after a timeout or another refusal, which would double the wait.
 */
export function canRepeatStatement(error: unknown, { repeatable }: { repeatable: boolean }): boolean {
  if (sqlStateOf(error) === "40P01" || error instanceof StatementNotExecuted) return true;
  if (!(error instanceof DatabaseUnavailable) || error instanceof DatabaseBusy) return false;
  if (cameInsteadOfWork.has(sqlStateOf(error.cause) ?? "")) return true;
  return repeatable && !/timeout|timed out/i.test(messageOf(error.cause));
}

/** Out of disk, memory or connections; lock timeout. */
const refusedStates = /^(53...|55P03)$/;

/**
 * Connection exceptions; a server that starts, stops, ended an idle session, or is read-only: another
 * connection may reach the writable one.
 */
const unavailableStates = /^(08...|57P01|57P02|57P03|57P05|25P03|25P04|25006)$/;

const connectionMessages = /connect|terminated|timeout|timed out|not queryable|server error/i;

function isConnectionFailure(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state) return unavailableStates.test(state);
  // A WebSocket reports failure as an event, which is no Error.
  if (!(error instanceof Error)) return true;
  return /^(E[A-Z]+|EAI_AGAIN|UND_ERR_\w+)$/.test(codeOf(error)) || connectionMessages.test(error.message);
}

/** A read-only database or transaction. */
export const isReadOnlyRefusal = (error: unknown): boolean => sqlStateOf(error) === "25006";

/** SQLSTATE class 22 (value) or 23 (row): a retry fails again. */
export function isPermanentRefusal(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause)
    if (/^2[23]/.test(sqlStateOf(link) ?? "")) return true;
  return false;
}

/** By prefix of SQLSTATE; the first match applies. */
const reasons = [
  ["53100", "database_disk_full"],
  ["53300", "database_connections_used_up"],
  ["53", "database_short_of_resources"],
  ["55P03", "database_lock_held"],
  ["25006", "database_read_only"],
  ["57P", "database_restarting"],
] as const;

export function databaseErrorReasonAndCode(error: unknown) {
  let code = "";
  for (let link = error; link instanceof Error; link = link.cause) code ||= codeOf(link);
  const known = reasons.find(([state]) => code.startsWith(state))?.[1];
  const unknown = isDatabaseBusy(error) ? "database_busy" : "database_unreachable";
  return { reason: known ?? unknown, code } as const;
}

/** SQLSTATE classes start with a digit, F, H, P or X, unlike system codes such as EPIPE. */
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
