import { signIn } from "./client.ts";
import type { Day } from "./days.ts";
import { enrollByStaff } from "./erasures.ts";
import type { Ledger } from "./ledger.ts";
import type { Service } from "./service.ts";
import type { SimulatedUniversity } from "./university.ts";

type At = { service: Service; ledger: Ledger; day: Day };

/**
 * Some learners of the third course try to enroll in its second run. They are rejected, because they have a
 * seat in the course and term; staff enroll them anyway. Exam attempts count in both runs.
 */
export async function enrollInSecondRun(at: At, { runs, second }: SimulatedUniversity): Promise<void> {
  const { service, ledger } = at;
  const first = runs[2];
  if (!first) return;
  const seated = ledger.in(first).filter(({ status }) => status === "ACTIVE");
  for (const { learner } of seated.slice(0, Math.ceil(seated.length / 4))) {
    const caller = await signIn(service, learner.email);
    const refused = await caller.refused("POST", "/enrollments/", { course_offering_id: second.id });
    ledger.hold("A second seat in a course and term", refused, "400 Already enrolled in this course");
    await enrollByStaff(at, learner, second);
  }
}
