import type { SimulatedDay } from "./days.ts";
import { isItemCompleted } from "./definitions.ts";
import type { SimulatedLearner } from "./people.ts";
import type { CourseRun, SimulatedItem } from "./university.ts";

type Post = { kind: "post"; item: SimulatedItem; day: SimulatedDay; percent: number };

/** A quiz attempt. Its score is visible once it has ended. */
export type ExpectedAttempt = {
  kind: "attempt";
  enrollment: ExpectedEnrollment;
  item: SimulatedItem;
  startedOn: SimulatedDay;
  endedOn?: SimulatedDay;
  score: number;
  most: number;
  passed: boolean;
};

export type LabSubmission = {
  kind: "work";
  id: number;
  enrollment: ExpectedEnrollment;
  item: SimulatedItem;
  attempt: number;
  day: SimulatedDay;
  state: "submitted" | "graded" | "returned";
  score?: number;
  /** The submission's copies for all group members, including this one. */
  shared: LabSubmission[];
};

/** A gradebook override by staff. */
type Given = { kind: "given"; item: SimulatedItem; day: SimulatedDay; value: number | "excused" };

/** Something done about an item, in order. */
export type ItemEvent = Post | ExpectedAttempt | LabSubmission | Given;

/** An enrollment in a run, with everything done there. */
export type ExpectedEnrollment = {
  id: number;
  learner: SimulatedLearner;
  run: CourseRun;
  status: "ACTIVE" | "WAITLISTED" | "DROPPED" | "COMPLETED";
  enrolledOn: SimulatedDay;
  droppedOn?: SimulatedDay;
  completedOn?: SimulatedDay;
  deeds: ItemEvent[];
  /** Attempts granted by staff instead of the quiz's limit. */
  granted: Map<SimulatedItem, number>;
  final?: { score: number; letter: string; passed: boolean };
};

export type ExpectedCertificate = {
  enrollment: ExpectedEnrollment;
  issuedOn: SimulatedDay;
  state: "VALID" | "REVOKED" | "REPLACED";
  revokedOn?: SimulatedDay;
  /** Reissued. */
  isAnew: boolean;
};

export type ExpectedActivity = {
  day: SimulatedDay;
  learner: SimulatedLearner;
  run: CourseRun;
  item?: SimulatedItem;
  asked?: boolean;
};

type Conversation = {
  learner: SimulatedLearner;
  run: CourseRun;
  item: SimulatedItem;
  messages: number;
  hits: number;
  calls: number;
  diverged: boolean;
};

/** The term's actions, recorded by the actors and not read from reports. */
export class SimulationLedger {
  readonly signups: SimulatedDay[] = [];
  readonly enrollments: ExpectedEnrollment[] = [];
  readonly activities: ExpectedActivity[] = [];
  readonly certificates: ExpectedCertificate[] = [];
  readonly conversations: Conversation[] = [];
  /** Stored answers by path. */
  readonly stored = new Set<string>();
  readonly ratings: number[] = [];
  posts = 0;
  threads = 0;
  notes = 0;
  held = 0;
  readonly differences: string[] = [];

  /** Compares the service's values with the recorded ones; objects part by part. */
  hold(what: string, told: unknown, done: unknown): void {
    if (isObject(told) && isObject(done)) {
      for (const name of Object.keys({ ...told, ...done }))
        this.hold(`${what}: ${name}`, told[name], done[name]);
      return;
    }
    this.held += 1;
    const [one, other] = [JSON.stringify(told), JSON.stringify(done)];
    if (one !== other) this.differences.push(`${what}: the service returned ${one}, but ${other} is right`);
  }

  get attempts(): ExpectedAttempt[] {
    return this.deeds().filter((deed) => deed.kind === "attempt");
  }

  get works(): LabSubmission[] {
    return this.deeds().filter((deed) => deed.kind === "work");
  }

  private deeds(): ItemEvent[] {
    return this.enrollments.flatMap(({ deeds }) => deeds);
  }

  enrollmentsOf(learner: SimulatedLearner): ExpectedEnrollment[] {
    return this.enrollments.filter((enrollment) => enrollment.learner === learner);
  }

  /** A learner and their earlier, erased accounts. */
  selvesOf(learner: SimulatedLearner): SimulatedLearner[] {
    return learner.former ? [learner, ...this.selvesOf(learner.former)] : [learner];
  }

  in(run: CourseRun): ExpectedEnrollment[] {
    return this.enrollments.filter((enrollment) => enrollment.run === run);
  }

  /** The waiting list, in order. */
  waiting(run: CourseRun): ExpectedEnrollment[] {
    return this.in(run).filter(({ status, learner }) => status === "WAITLISTED" && !learner.isErased);
  }

  isFull(run: CourseRun): boolean {
    const active = this.in(run).filter(
      ({ status, learner }) => status === "ACTIVE" && !learner.isErased,
    ).length;
    return run.capacity !== null && active >= run.capacity;
  }

  /** Drops a seat and its group memberships; the next on the waiting list gets the seat during enrollment. */
  drop(enrollment: ExpectedEnrollment, day: SimulatedDay): void {
    const wasActive = enrollment.status === "ACTIVE";
    enrollment.status = "DROPPED";
    enrollment.droppedOn = day;
    for (const group of enrollment.run.groups) {
      const { learner } = enrollment;
      if (!group.members.includes(learner)) continue;
      group.members = group.members.filter((member) => member !== learner);
      group.left.push(learner);
    }
    if (wasActive) this.promote(enrollment.run, day);
  }

  /** Skips people with a seat in another run of the course. */
  promote(run: CourseRun, day: SimulatedDay): void {
    if (day > run.enrollmentEnds) return;
    for (const next of this.waiting(run)) {
      if (this.isFull(run)) return;
      if (!this.hasSeatElsewhere(next)) next.status = "ACTIVE";
    }
  }

  private hasSeatElsewhere({ learner, run }: ExpectedEnrollment): boolean {
    return this.enrollmentsOf(learner).some(
      (enrollment) =>
        enrollment.status === "ACTIVE" && enrollment.run !== run && enrollment.run.course === run.course,
    );
  }

  /** Records a deed, and completes the course if earned. */
  note(enrollment: ExpectedEnrollment, deed: ItemEvent): void {
    enrollment.deeds.push(deed);
    this.complete(enrollment, deed.kind === "attempt" ? deed.startedOn : deed.day);
  }

  /** Grades work for all who share it. */
  grade({ shared }: LabSubmission, score: number, day: SimulatedDay): void {
    for (const one of shared) {
      Object.assign(one, { state: "graded", score });
      this.complete(one.enrollment, day);
    }
  }

  /** Names the authors of anonymous work, which completes its items. */
  release(run: CourseRun, day: SimulatedDay): void {
    run.namedOn = day;
    for (const enrollment of this.enrollments) if (enrollment.run === run) this.complete(enrollment, day);
  }

  /** Ends open attempts; their time was up on the day they started. */
  endAttempts(): void {
    for (const attempt of this.attempts) {
      if (attempt.endedOn) continue;
      attempt.endedOn = attempt.startedOn;
      this.complete(attempt.enrollment, attempt.startedOn);
    }
  }

  /** Completes an enrollment if earned, which issues a certificate and frees the seat. */
  complete(enrollment: ExpectedEnrollment, day: SimulatedDay): void {
    const { run, final } = enrollment;
    if (
      enrollment.status !== "ACTIVE" ||
      !run.course.items.every((item) => isItemCompleted(enrollment, item))
    )
      return;
    if (run.isGraded && !final?.passed) return;
    enrollment.status = "COMPLETED";
    enrollment.completedOn = day;
    this.certificates.push({ enrollment, issuedOn: day, state: "VALID", isAnew: false });
    this.promote(run, day);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
