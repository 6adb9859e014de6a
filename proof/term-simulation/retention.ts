import { type ApiClient, type JsonBody, signInForApiClient } from "./client.ts";
import { addDays, middayUtcDaysAfter, type SimulatedDay } from "./days.ts";
import { checkGradebooks } from "./gradebooks.ts";
import type { SimulationLedger } from "./ledger.ts";
import { hasActiveAccount, type SimulatedLearner } from "./people.ts";
import type { ServiceUnderTest } from "./service.ts";
import { type SimulatedUniversity, staffEmails } from "./university.ts";

type At = { service: ServiceUnderTest; ledger: SimulationLedger; day: SimulatedDay };

/** Days of retention after the term, and days until a new policy applies. */
const kept = 30;

/**
 * After the term the university keeps conversations for thirty more days, except for a person on hold. Until
 * then all exist, afterwards only the held ones. The preview's count must equal the deletions, and grades
 * must not change.
 */
export async function checkConversationRetention(at: At, university: SimulatedUniversity): Promise<void> {
  const { service, ledger, day } = at;
  const talks = ledger.conversations.filter(({ learner }) => hasActiveAccount(learner));
  const held = talks[0]?.learner;
  if (!held) return;
  const path = `/universities/${university.id}/retention`;
  const archivist = await signInForApiClient(service, staffEmails.archivist);
  const teacher = await signInForApiClient(service, staffEmails.teacher);
  const refused = await teacher.refused("PUT", path, { kinds: { conversations: kept } });
  ledger.hold("How long a teacher keeps conversations", refused.slice(0, 3), "403");
  await archivist.put(path, { kinds: { conversations: kept } });
  await archivist.post(`${path}/holds`, { email: held.email, reason: "An appeal" });
  const isSome = talks.some(({ learner }) => learner !== held);
  const counted = await archivist.post(`${path}/dry-run`);
  ledger.hold(
    "What would be forgotten",
    counted.map((one: JsonBody) => [one.kind, one.rows > 0, one.is_more]),
    [["conversations", isSome, false]],
  );

  await service.moveTo(middayUtcDaysAfter(day, kept - 1));
  await service.forget();
  await holdTalks(at, talks, () => true, "before they are forgotten");
  await service.moveTo(middayUtcDaysAfter(day, kept + 1));
  await service.forget();
  const after = { ...at, day: addDays(day, kept + 1) };
  await holdTalks(after, talks, (learner) => learner === held, "once they are forgotten");
  const runs = await (await signInForApiClient(service, staffEmails.archivist)).get(`${path}/runs`);
  ledger.hold("What was forgotten", runs[0]?.forgotten, isSome ? { conversations: counted[0]?.rows } : {});
  await checkGradebooks(after, university);
}

/** Checks the conversations that some learners see. */
async function holdTalks(
  { service, ledger }: At,
  talks: SimulationLedger["conversations"],
  isKept: (learner: SimulatedLearner) => boolean,
  when: string,
): Promise<void> {
  const learners = [...new Set(talks.map(({ learner }) => learner))].slice(0, 10);
  for (const learner of learners) {
    const caller: ApiClient = await signInForApiClient(service, learner.email);
    const told = await caller.get("/chat/sessions?limit=100");
    const own = talks.filter((talk) => talk.learner === learner && isKept(learner));
    ledger.hold(`The conversations of ${learner.email} ${when}`, told.length, own.length);
  }
}
