import { type ApiClient, createApiClient, type JsonBody, signInForApiClient } from "./client.ts";
import { type SimulatedDay, utcDayOfMoment } from "./days.ts";
import type { ExpectedCertificate, ExpectedEnrollment, SimulationLedger } from "./ledger.ts";
import { compareByFirstElement } from "./screens.ts";
import type { ServiceUnderTest } from "./service.ts";
import { type CourseRun, type SimulatedUniversity, staffEmails } from "./university.ts";

type At = { service: ServiceUnderTest; ledger: SimulationLedger; day: SimulatedDay };

const path = "/assessments/certificates";

const onDay = (moment: string | null): SimulatedDay | null =>
  moment === null ? null : utcDayOfMoment(new Date(moment));

/** Checks the certificates of every run, and the public verification of some. */
export async function checkCertificates(at: At, { runs }: SimulatedUniversity): Promise<void> {
  const teacher = await signInForApiClient(at.service, staffEmails.teacher);
  for (const run of runs) {
    const told = await listed(teacher, run);
    const done = at.ledger.certificates.filter(({ enrollment }) => enrollment.run === run);
    at.ledger.hold(
      `The certificates of ${run.course.code} on ${at.day}`,
      told.map(({ user_id, ...one }) => [user_id, one["state"], onDay(one["issued_at"])]).toSorted(byEach),
      done.map(({ enrollment, state, issuedOn }) => [holderOf(enrollment), state, issuedOn]).toSorted(byEach),
    );
    for (const one of told.slice(0, 5)) await holdVerification(at, run, one);
  }
}

/** After an erasure, a certificate has only the printed name. */
const holderOf = ({ learner }: ExpectedEnrollment): number | null => (learner.isErased ? null : learner.id);

const listed = (teacher: ApiClient, run: CourseRun): Promise<JsonBody[]> =>
  teacher.get(`${path}/offerings/${run.id}?limit=1000`);

const byEach = (one: unknown[], other: unknown[]) =>
  compareByFirstElement(one, other) || String(one[1]).localeCompare(String(other[1]));

/** Checks the printed data and the state, and that nothing else is shown. */
async function holdVerification({ service, ledger }: At, run: CourseRun, one: JsonBody): Promise<void> {
  const enrollment = ledger.certificates.find(
    (certificate) =>
      certificate.enrollment.run === run &&
      certificate.state === one.state &&
      holderOf(certificate.enrollment) === one.user_id,
  )?.enrollment;
  const { completed_at, issued_at, revoked_at, ...told } = await createApiClient(service).get(
    `${path}/verify/${one.certificate_code}`,
  );
  const kept = ledger.certificates.find(
    (certificate) => certificate.enrollment === enrollment && certificate.state === one.state,
  );
  ledger.hold(
    `A certificate of ${run.course.code}`,
    { ...told, days: [completed_at, issued_at, revoked_at].map(onDay) },
    {
      state: kept?.state,
      printed_name: enrollment?.learner.name,
      course_title: `Course ${run.course.code}`,
      university_name: "University of Terms",
      expires_at: null,
      days: [enrollment?.completedOn ?? null, kept?.issuedOn ?? null, kept?.revokedOn ?? null],
    },
  );
}

/** Revokes a certificate and reissues one; users without completion get none. */
export async function revokeAndReissueCertificates(at: At, { runs }: SimulatedUniversity): Promise<void> {
  const { ledger, day } = at;
  const teacher = await signInForApiClient(at.service, staffEmails.teacher);
  const [revoked, replaced] = ledger.certificates;
  if (revoked) {
    await teacher.post(`${path}/issued/${await idOf(teacher, revoked)}/revoke`, { reason: "By mistake" });
    Object.assign(revoked, { state: "REVOKED", revokedOn: day });
  }
  if (replaced) {
    await teacher.post(`${path}/issued/${await idOf(teacher, replaced)}/reissue`, {});
    replaced.state = "REPLACED";
    ledger.certificates.push({
      enrollment: replaced.enrollment,
      issuedOn: day,
      state: "VALID",
      isAnew: true,
    });
  }
  const without = ledger.enrollments.find(({ status }) => status === "ACTIVE");
  if (!without || !runs.includes(without.run)) return;
  const wanted = { user_id: without.learner.id };
  const refused = await teacher.refused("POST", `${path}/offerings/${without.run.id}`, wanted);
  ledger.hold(
    "A certificate without completion",
    refused,
    "400 The enrollment was not completed by a result or by staff",
  );
}

async function idOf(teacher: ApiClient, { enrollment }: ExpectedCertificate): Promise<number> {
  const own = (await listed(teacher, enrollment.run)).find((one) => one.user_id === enrollment.learner.id);
  return own?.id;
}
