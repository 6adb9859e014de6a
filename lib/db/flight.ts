import { AsyncLocalStorage } from "node:async_hooks";
import { type Queryable, type QueryPool, queryStats, queryText } from "./observe.ts";
import { isUnavailable, mayRepeat } from "./unavailable.ts";

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

/** Makes a pool's statements take along the one that waits for them, in place. */
export function carryCompanions(pool: QueryPool, openFlight: () => Promise<Flight>): void {
  const { query } = pool;
  pool.query = (...args: unknown[]) => {
    const seat = seats.getStore();
    if (seat) return Reflect.apply(seat.query, seat, args);
    const alone = () => Reflect.apply(query, pool, args);
    const companion = companions.getStore();
    const board = companion?.board;
    if (!board) return alone();
    companion.board = undefined;
    return fly(args, board).catch((error) =>
      mayRepeat(error, queryText(args)) ? alone() : Promise.reject(error),
    );
  };

  async function fly(args: unknown[], board: () => Promise<unknown>): Promise<unknown> {
    const flight = await openFlight();
    const first: Promise<unknown> = Reflect.apply(flight.query, flight, args);
    // One round trip, which is counted with the first statement.
    const second = queryStats.exit(() => seats.run(lastSeat(flight), board));
    void Promise.allSettled([second]).then(() => flight.depart());
    void Promise.allSettled([first, second]).then(() => flight.land());
    return first;
  }
}

/** For the last statement of a flight, which departs with it. */
const lastSeat = (flight: Flight): Queryable => ({
  query(...args: unknown[]) {
    const answer = Reflect.apply(flight.query, flight, args);
    flight.depart();
    return answer;
  },
});
