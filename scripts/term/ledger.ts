import type { Course, Item, Run } from "./campus.ts";
import type { Day } from "./days.ts";
import type { Learner } from "./people.ts";

/** What became of someone's place in a run. */
export type Place = {
  id: number;
  learner: Learner;
  run: Run;
  status: "ACTIVE" | "WAITLISTED" | "DROPPED" | "COMPLETED";
  enrolledOn: Day;
  droppedOn?: Day;
  completedOn?: Day;
  /** Of each item that was begun. */
  percents: Map<Item, number>;
  startedOn: Map<Item, Day>;
  doneOn: Map<Item, Day>;
  /** What staff put in the gradebook in place of what was achieved. */
  given: Map<Item, number | "excused">;
  final?: { score: number; letter: string; passed: boolean };
};

/** Work for a lab, and what became of it. */
export type Work = {
  id: number;
  place: Place;
  item: Item;
  attempt: number;
  day: Day;
  isLate: boolean;
  state: "submitted" | "graded" | "returned";
  score?: number;
};

export type Certificate = {
  place: Place;
  issuedOn: Day;
  state: "VALID" | "REVOKED" | "REPLACED";
  revokedOn?: Day;
  /** In place of another. */
  isAnew: boolean;
};

/** Something that counts as activity. */
export type Activity = { day: Day; learner: Learner; run: Run; item?: Item; asked?: boolean };

type Conversation = {
  run: Run;
  item: Item;
  messages: number;
  hits: number;
  calls: number;
  diverged: boolean;
};
type Attempt = { place: Place; item: Item; day: Day; score: number; most: number; passed: boolean };

/** What was done in a term, written down by those who did it, and by nobody's report. */
export class Ledger {
  readonly signups: Day[] = [];
  readonly places: Place[] = [];
  readonly activities: Activity[] = [];
  readonly attempts: Attempt[] = [];
  readonly works: Work[] = [];
  readonly certificates: Certificate[] = [];
  readonly conversations: Conversation[] = [];
  /** Answers that are stored, by their paths. */
  readonly stored = new Set<string>();
  readonly ratings: number[] = [];
  posts = 0;
  threads = 0;
  notes = 0;
  held = 0;
  readonly differences: string[] = [];

  /** Holds what the service says against what was done; of objects each part. */
  hold(what: string, told: unknown, done: unknown): void {
    if (isObject(told) && isObject(done)) {
      for (const name of Object.keys({ ...told, ...done }))
        this.hold(`${what}: ${name}`, told[name], done[name]);
      return;
    }
    this.held += 1;
    const [one, other] = [JSON.stringify(told), JSON.stringify(done)];
    if (one !== other) this.differences.push(`${what}: the service says ${one}, and it is ${other}`);
  }

  placesOf(learner: Learner): Place[] {
    return this.places.filter((place) => place.learner === learner);
  }

  in(run: Run): Place[] {
    return this.places.filter((place) => place.run === run);
  }

  /** Those who wait, in their order. */
  waiting(run: Run): Place[] {
    return this.in(run).filter(({ status }) => status === "WAITLISTED");
  }

  isFull(run: Run): boolean {
    const active = this.in(run).filter(({ status }) => status === "ACTIVE").length;
    return run.capacity !== null && active >= run.capacity;
  }

  /** Someone leaves their place: the next in line has it, as long as people may enroll. */
  drop(place: Place, day: Day): void {
    const wasActive = place.status === "ACTIVE";
    place.status = "DROPPED";
    place.droppedOn = day;
    if (wasActive) this.promote(place.run, day);
  }

  promote(run: Run, day: Day): void {
    if (day > run.enrollmentEnds) return;
    for (const next of this.waiting(run)) {
      if (this.isFull(run)) return;
      next.status = "ACTIVE";
    }
  }

  /** What someone handed in last for a lab. */
  newestWork(place: Place, item: Item): Work | undefined {
    return this.works.findLast((work) => work.place === place && work.item === item);
  }

  /** Whether there is nothing to do about an item until it is graded. */
  waits(place: Place, item: Item): boolean {
    return item.kind === "engineering_lab" && this.newestWork(place, item)?.state === "submitted";
  }

  /** A grade completes the lab on the day on which it was handed in, and the course, if that was the last, today. */
  grade(work: Work, score: number, day: Day): void {
    Object.assign(work, { state: "graded", score });
    this.progress(work.place, work.item, 100, work.day, day);
  }

  /** Notes how far someone is with an item, and whether that completes the course. */
  progress(place: Place, item: Item, percent: number, day: Day, today = day): void {
    place.percents.set(item, percent);
    if (!place.startedOn.has(item)) place.startedOn.set(item, day);
    if (percent < 100 || place.doneOn.has(item)) return;
    place.doneOn.set(item, day);
    this.complete(place, today);
  }

  /** Completes an enrollment where that is earned, which issues a certificate and frees the place. */
  complete(place: Place, day: Day): void {
    const { run, doneOn, final } = place;
    if (doneOn.size < run.course.items.length || place.status !== "ACTIVE") return;
    if (run.isGraded && !final?.passed) return;
    place.status = "COMPLETED";
    place.completedOn = day;
    this.certificates.push({ place, issuedOn: day, state: "VALID", isAnew: false });
    this.promote(run, day);
  }

  percentOf({ percents, run }: Place): number {
    const sum = [...percents.values()].reduce((all, one) => all + one, 0);
    return cut(sum / run.course.items.length);
  }

  runsOf(course: Course): Run[] {
    return [...new Set(this.places.map(({ run }) => run))].filter((run) => run.course === course);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Two decimals, cut and not rounded: nobody has 100 before the end. */
export const cut = (percent: number): number => Math.trunc(Number((percent * 100).toFixed(4))) / 100;
