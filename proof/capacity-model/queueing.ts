/** Where requests are served: so many at once, each for a time in milliseconds; the others wait in a line. */
export type Station = { name: string; servers: number };

/** How long a request is at each station, in its order. One without a station waits for somebody else, in no line. */
export type Visit = { station?: string; milliseconds: number };

/** A request: when it comes, in milliseconds, what it passes, and the station of which it keeps a server to its end. */
export type Arrival = { at: number; visits: readonly Visit[]; keeps?: string };

/** Of what passed a station: how many, how long they waited at the median, the 99th and the last, and how busy it was. */
export type Waits = {
  name: string;
  requests: number;
  median: number;
  p99: number;
  longest: number;
  /** The share of its servers' time that was used, until the last request was done. */
  busy: number;
  /** Servers that were in use at once, at most. */
  most: number;
};

/** A visit of a request, by its number, comes to its end. */
type Event = { at: number; request: Arrival; step: number };

/**
 * Sends requests through stations, first come, first served, and says what waited where. Arrivals are in their order.
 * A discrete-event simulation: exact for the arrivals and the times that it is given.
 */
export function simulate(stations: readonly Station[], arrivals: Iterable<Arrival>): Waits[] {
  const counters = new Map(stations.map((one) => [one.name, new Counter(one)]));
  const events = new Line<Event>(({ at }) => at);
  let last = 0;

  const counterOf = (name: string): Counter => {
    const counter = counters.get(name);
    if (!counter) throw new Error(`there is no station ${name}`);
    return counter;
  };
  /** A request comes to its visit number `step`, or after the last of them leaves. */
  const arrive = ({ at, request, step }: Event): void => {
    const { visits, keeps } = request;
    const visit = visits[step];
    const serve = (from: number) => events.push({ at: from + (visit?.milliseconds ?? 0), request, step });
    if (visit?.station) counterOf(visit.station).enter(at, serve);
    else if (visit) serve(at);
    else if (keeps) counterOf(keeps).leave(at);
  };
  const endVisit = ({ at, request, step }: Event): void => {
    last = at;
    const station = request.visits[step]?.station;
    if (station) counterOf(station).leave(at);
    arrive({ at, request, step: step + 1 });
  };
  const begin = (request: Arrival): void => {
    const start = (at: number) => arrive({ at, request, step: 0 });
    if (request.keeps) counterOf(request.keeps).enter(request.at, start);
    else start(request.at);
  };

  for (const arrival of arrivals) {
    for (let next = events.first(); next && next.at <= arrival.at; next = events.first())
      endVisit(events.take());
    begin(arrival);
  }
  while (events.first()) endVisit(events.take());
  return [...counters.values()].map((counter) => counter.waits(last));
}

/** The servers of a station, and the line before them. */
class Counter {
  readonly #station: Station;
  readonly #line: { since: number; serve: (at: number) => void }[] = [];
  readonly #waited: number[] = [];
  #head = 0;
  #inUse = 0;
  #most = 0;
  #used = 0;
  #changed = 0;

  constructor(station: Station) {
    this.#station = station;
  }

  enter(at: number, serve: (at: number) => void): void {
    if (this.#inUse === this.#station.servers) {
      this.#line.push({ since: at, serve });
      return;
    }
    this.#count(at, 1);
    this.#waited.push(0);
    serve(at);
  }

  leave(at: number): void {
    const next = this.#line[this.#head];
    if (!next) {
      this.#count(at, -1);
      return;
    }
    this.#head += 1;
    if (this.#head > 10_000) this.#line.splice(0, this.#head);
    if (this.#head > 10_000) this.#head = 0;
    this.#waited.push(at - next.since);
    next.serve(at);
  }

  #count(at: number, change: number): void {
    this.#used += this.#inUse * (at - this.#changed);
    this.#changed = at;
    this.#inUse += change;
    this.#most = Math.max(this.#most, this.#inUse);
  }

  waits(until: number): Waits {
    const { name, servers } = this.#station;
    const sorted = Float64Array.from(this.#waited).sort();
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    const busy = until > 0 ? this.#used / (until * servers) : 0;
    return {
      ...{ name, requests: sorted.length, busy, most: this.#most },
      ...{ median: at(0.5), p99: at(0.99), longest: at(1) },
    };
  }
}

/** What comes first leaves first: a binary heap. */
class Line<Item> {
  readonly #items: Item[] = [];
  readonly #rank: (item: Item) => number;

  constructor(rank: (item: Item) => number) {
    this.#rank = rank;
  }

  first(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(at, above)) return;
      this.#swap(at, above);
      at = above;
    }
  }

  take(): Item {
    const items = this.#items;
    this.#swap(0, items.length - 1);
    const item = items.pop();
    if (item === undefined) throw new Error("nothing is in the line");
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let first = at;
      if (left < items.length && this.#isBefore(left, first)) first = left;
      if (right < items.length && this.#isBefore(right, first)) first = right;
      if (first === at) return item;
      this.#swap(at, first);
      at = first;
    }
  }

  #isBefore(one: number, other: number): boolean {
    return this.#rank(this.#items[one] as Item) < this.#rank(this.#items[other] as Item);
  }

  #swap(one: number, other: number): void {
    const items = this.#items;
    [items[one], items[other]] = [items[other] as Item, items[one] as Item];
  }
}
