import { certificateSettings } from "../../../../../schema/db/assessment/certificates.ts";
import { userUniversityRoles } from "../../../../../schema/db/identity/roles.ts";
import { makersOf } from "../../../../support/makers.ts";
import type { World } from "../../../../support/world.ts";
import { signUp } from "./people.ts";

export type Stage = Awaited<ReturnType<typeof buildStage>>;

export type Topic = keyof Stage["topics"];

/**
 * Person 1 administers the platform, 2 to 8 take Signals in the north, 9 to 12 Logic in the south. Signals
 * has two published modules with one topic each; Logic has one module with two topics, one of them retired.
 */
export async function buildStage(world: World) {
  const make = makersOf(world);
  const people = await signUp(make);
  const id = (number: number): number => people[number - 1]?.id ?? 0;
  const [north, south] = [await make.university(), await make.university()];
  const signals = await make.course(north.id, { code: "SIG", title: "Signals, and systems" });
  const logic = await make.course(south.id, { code: "=LOG", title: 'Logic "and" proof' });
  const modules = {
    m1: await make.module(signals.id),
    m2: await make.module(signals.id),
    draft: await make.module(signals.id, { is_published: false }),
    n1: await make.module(logic.id),
  };
  const topics = {
    s1: await make.contentItem(modules.m1, north.id),
    s2: await make.contentItem(modules.m2, north.id),
    l1: await make.contentItem(modules.n1, south.id),
    l2: await make.contentItem(modules.n1, south.id, { is_active: false }),
  };
  const offerings = { signals: await make.offering(signals), logic: await make.offering(logic) };
  // Only manually issued certificates (results.ts).
  await world.deps.db
    .insert(certificateSettings)
    .values(
      Object.values(offerings).map(({ id }) => ({ course_offering_id: id, issuance: "BY_STAFF" as const })),
    );
  await world.deps.db
    .insert(userUniversityRoles)
    .values({ user_id: id(1), university_id: north.id, role: "PLATFORM_ADMIN" });
  return {
    db: world.deps.db,
    id,
    signals,
    logic,
    modules,
    topics,
    offerings,
    universityOf: (number: number) => (number < 9 ? north.id : south.id),
    offeringOf: (number: number) => (number < 9 ? offerings.signals.id : offerings.logic.id),
    located: (topic: keyof typeof topics) => ({
      content_item_id: topics[topic].id,
      course_offering_id: topic.startsWith("s") ? offerings.signals.id : offerings.logic.id,
    }),
  };
}
