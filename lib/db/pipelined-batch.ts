import { AsyncLocalStorage } from "node:async_hooks";
import { type Layer, type LentClient, type Statement, textOf } from "./layers.ts";
import { queryStats } from "./observe.ts";
import { isUnavailable, mayRepeat } from "./unavailable.ts";

type Queryable = Pick<LentClient, "query">;

/** Statements that are sent without waiting in between: the answers of all come back after one round trip. */
export type Flight = Queryable & {
  /** No further statement is coming. */
  depart(): void;
  /** All answers are there. */
  land(): void;
};

/** A statement that waits for another one to go with; undefined as soon as it is under way. */
type Companion = { board: (() => Promise<unknown>) | undefined };

const companions = new AsyncLocalStorage<Companion>();
const seats = new AsyncLocalStorage<Queryable>();

/**
 * Runs `work`, and `check` in the round trip of its first statement, behind it: what `check` reads is as new as what
 * that statement read, or newer. Alone afterwards where `work` sends nothing, or where the flight went wrong.
 * Throws when `work` found no database.
 */
export async function checkedInFlight<Work, Check>(
  work: () => Promise<Work>,
  check: () => Promise<Check>,
): Promise<[PromiseSettledResult<Work>, Check]> {
  let boarded: Promise<Check> | undefined;
  const companion: Companion = {
    board() {
      boarded = check();
      return boarded;
    },
  };
  const [outcome] = await Promise.allSettled([companions.run(companion, work)]);
  companion.board = undefined;
  if (outcome.status === "rejected" && isUnavailable(outcome.reason)) throw outcome.reason;
  return [outcome, await (boarded?.catch(check) ?? check())];
}

/** Has a statement take along the one that waits for it. */
export const carryCompanions = (openFlight: () => Promise<Flight>): Layer => ({
  async alone(statement, next) {
    const seat = seats.getStore();
    if (seat) return seat.query(...statement);
    const companion = companions.getStore();
    const board = companion?.board;
    if (!board) return next(statement);
    companion.board = undefined;
    return fly(openFlight, statement, board).catch((error) =>
      mayRepeat(error, textOf(statement)) ? next(statement) : Promise.reject(error),
    );
  },
});

async function fly(
  openFlight: () => Promise<Flight>,
  statement: Statement,
  board: () => Promise<unknown>,
): Promise<unknown> {
  const flight = await openFlight();
  const first = flight.query(...statement);
  // One round trip, which is counted with the first statement.
  const second = queryStats.exit(() => seats.run(lastSeat(flight), board));
  void Promise.allSettled([second]).then(() => flight.depart());
  void Promise.allSettled([first, second]).then(() => flight.land());
  return first;
}

/** For the last statement of a flight, which departs with it. */
const lastSeat = (flight: Flight): Queryable => ({
  query(...statement) {
    const answer = flight.query(...statement);
    flight.depart();
    return answer;
  },
});
