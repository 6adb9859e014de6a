import { hash } from "node:crypto";
import { DatabaseUnavailable, sqlStateOf } from "../unavailable.ts";
import type { Layer, Statement } from "./layers.ts";

type Log = { warn(fields: object, message: string): void };

/** Which of the statements that may have a name have one, and which. */
export type StatementNames = {
  /** The name of a statement, the same in every process; undefined when it is to be sent without one. */
  of(text: string): string | undefined;
  /** After this error, which came instead of the statement's work, it can be sent again without a name. */
  lostBy(error: unknown, text: string): boolean;
};

/** As many plans are kept at most for each connection, in the server's memory: some 50 KB each. */
const MOST_NAMES = 300;

const MOST_SEEN_ONCE = 1000;

/**
 * Names statements by a hash of their text, so that a connection parses and plans each once: those that come more than
 * once, since a text that depends on what a request gives, such as the fields it changes, seldom comes again. A statement whose plan
 * was outdated (0A000) goes without a name from then on. Where the pooler between lends a connection without its
 * statements (26000), or one on which others named theirs (42P05), all do, and the log says how to avoid it.
 */
export function nameStatements(log?: Log): StatementNames {
  const names = new Map<string, string | undefined>();
  const seenOnce = new Set<string>();
  let carried = true;
  return {
    of(text) {
      if (!carried) return undefined;
      if (names.size < MOST_NAMES && !names.has(text) && isSeenAgain(seenOnce, text))
        names.set(text, nameOf(text));
      return names.get(text);
    },
    lostBy(error, text) {
      if (isPlanOutdated(error)) {
        names.set(text, undefined);
        return true;
      }
      if (!isStatementLost(error)) return false;
      if (carried)
        log?.warn({}, "the pooler carries no prepared statements: set DATABASE_PREPARED_STATEMENTS=false");
      carried = false;
      return true;
    },
  };
}

const nameOf = (text: string): string => `s_${hash("sha256", text, "base64url").slice(0, 22)}`;

function isSeenAgain(seenOnce: Set<string>, text: string): boolean {
  if (seenOnce.delete(text)) return true;
  if (seenOnce.size >= MOST_SEEN_ONCE) seenOnce.clear();
  seenOnce.add(text);
  return false;
}

/** The code alone says no more than that something is not supported. */
const isPlanOutdated = (error: unknown): boolean =>
  sqlStateOf(error) === "0A000" && error instanceof Error && error.message.startsWith("cached plan must not");

const isStatementLost = (error: unknown): boolean => ["26000", "42P05"].includes(sqlStateOf(error) ?? "");

/**
 * Sends statements under their names. One that its name failed is sent again without; within a transaction, which the
 * error has ended, it is thrown as `DatabaseUnavailable`: what the caller repeats goes well.
 */
export const prepare = (names: StatementNames): Required<Pick<Layer, "alone" | "within">> => ({
  async alone(statement, next) {
    try {
      return await next(named(statement, names));
    } catch (error) {
      if (!names.lostBy(error, statement.text)) throw error;
      return next(statement);
    }
  },
  async within(statement, next) {
    try {
      return await next(named(statement, names));
    } catch (error) {
      if (!names.lostBy(error, statement.text)) throw error;
      throw new DatabaseUnavailable("A prepared statement was lost within a transaction", { cause: error });
    }
  },
});

/** The same statement with its name, where it has one. */
function named(statement: Statement, names: StatementNames): Statement {
  const { query, text } = statement;
  const name = statement.named ? names.of(text) : undefined;
  return name && typeof query === "object" ? { ...statement, query: { ...query, name } } : statement;
}
