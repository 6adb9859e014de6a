import { hash } from "node:crypto";
import { DatabaseUnavailable, sqlStateOf } from "../unavailable.ts";
import type { Layer, Statement } from "./layers.ts";

type Log = { warn(fields: object, message: string): void };

export type StatementNames = {
  /** The name is the same in every process; undefined to send the statement unnamed. */
  of(text: string): string | undefined;
  lostBy(error: unknown, text: string): boolean;
};

/** Plans per connection, in the server's memory: about 50 KB each. */
const MOST_NAMES = 300;

const MOST_SEEN_ONCE = 1000;

/**
 * Names statements by a hash of their text, so a connection plans each once. Names start at a text's second
 * use: texts built from a request seldom repeat. An outdated plan (0A000) makes its statement unnamed; a
 * pooler that cannot carry statements (26000, 42P05) makes all unnamed.
 */
export function createStatementNames(log?: Log): StatementNames {
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
        log?.warn(
          {},
          "the pooler does not support prepared statements: set DATABASE_PREPARED_STATEMENTS=false",
        );
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

/** The code alone only means "not supported". */
const isPlanOutdated = (error: unknown): boolean =>
  sqlStateOf(error) === "0A000" && error instanceof Error && error.message.startsWith("cached plan must not");

const isStatementLost = (error: unknown): boolean => ["26000", "42P05"].includes(sqlStateOf(error) ?? "");

/**
 * If a name fails, retries without it. Within a transaction, which the error ended, throws
 * `DatabaseUnavailable`: the caller's retry succeeds.
 */
export const createPreparedStatementLayer = (
  names: StatementNames,
): Required<Pick<Layer, "alone" | "within">> => ({
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

function named(statement: Statement, names: StatementNames): Statement {
  const { query, text } = statement;
  const name = statement.named ? names.of(text) : undefined;
  return name && typeof query === "object" ? { ...statement, query: { ...query, name } } : statement;
}
