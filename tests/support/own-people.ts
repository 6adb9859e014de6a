import { sql } from "drizzle-orm";
import type { makersOf } from "./makers.ts";
import type { World } from "./world.ts";

type Make = ReturnType<typeof makersOf>;

/** Kinds of people behind an address, from the view of operations that use addresses. */
export const addressees = [
  "unknown",
  "unverified",
  "verified",
  "of another university",
  "deactivated",
] as const;
export type Addressee = (typeof addressees)[number];

/** A person behind an address who was not created by the university, by kind. */
export async function addresseeOf(make: Make, kind: Addressee) {
  const email = `${make.unique("addressee")}@example.org`.toLowerCase();
  const verified = { email, password_hash: "theirs", email_verified_at: "2026-01-01T00:00:00Z" };
  if (kind === "unknown") return { email, id: undefined };
  if (kind === "unverified") return make.person({ email, password_hash: "anyone's" });
  if (kind === "deactivated") return make.person({ ...verified, is_active: false });
  const person = await make.person(verified);
  if (kind === "of another university") {
    const offering = await make.offering(await make.course((await make.university()).id));
    await make.enrollment(person.id, offering.id);
  }
  return person;
}

export const grantDomain = (world: World, university: number, domain: string) =>
  world.deps.db.execute(
    sql`insert into university_domains (university_id, domain) values (${university}, ${domain})`,
  );
