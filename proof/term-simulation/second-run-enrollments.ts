import { signInForApiClient } from "./client.ts";
import type { SimulatedDay } from "./days.ts";
import { enrollByStaff } from "./erasures.ts";
import type { SimulationLedger } from "./ledger.ts";
import type { ServiceUnderTest } from "./service.ts";
import type { SimulatedUniversity } from "./university.ts";

type At = { service: ServiceUnderTest; ledger: SimulationLedger; day: SimulatedDay };

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
    const caller = await signInForApiClient(service, learner.email);
    const refused = await caller.refused("POST", "/enrollments/", { course_offering_id: second.id });
    ledger.hold("A second seat in a course and term", refused, "400 Already enrolled in this course");
    await enrollByStaff(at, learner, second);
  }
}
