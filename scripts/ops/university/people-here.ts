import type pg from "pg";
import { batchesOf, type Manifest } from "./archive.ts";
import { noteSingle } from "./incoming.ts";

type Person = { id: number; email: string | null; email_verified_at: string | null };
type Known = { id: number; email: string; is_verified: boolean };

const peoplePerPage = 1000;

/**
 * Maps people to existing accounts by an address verified in both deployments. Rejects addresses that are not
 * verified in both, because their owner is uncertain.
 */
export async function findKnownPeople(client: pg.Client, folder: string, manifest: Manifest): Promise<void> {
  const doubtful: string[] = [];
  for await (const lines of batchesOf(folder, manifest, "users", { size: peoplePerPage })) {
    const people = lines.map((line): Person => JSON.parse(line)).filter(({ email }) => email !== null);
    const { rows } = await client.query<Known>(
      "select id, email, email_verified_at is not null as is_verified from users where email = any ($1)",
      [people.map(({ email }) => email)],
    );
    const byAddress = new Map(people.map((one) => [one.email, one]));
    for (const { id, email, is_verified } of rows) {
      const there = byAddress.get(email);
      if (there?.email_verified_at && is_verified) await noteSingle(client, "users", there.id, id);
      else doubtful.push(email);
    }
  }
  if (doubtful.length > 0)
    throw new Error(
      `${doubtful.length} addresses have accounts here and there, but are not verified on both sides: ` +
        `${doubtful.slice(0, 20).join(", ")}. Ask their owners to verify them, or erase those accounts, and start again`,
    );
}
