import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";
import { type DueMail, inOneLine, type MailMessage } from "../mail/message.ts";
import { hashOfToken, newToken } from "./one-time-tokens.ts";

const Claimed = z.object({ id: z.int() });
const Told = z.object({
  id: z.int(),
  university: z.string(),
  role: z.string().nullable(),
  department: z.string().nullable(),
  course: z.string().nullable(),
  teaches: z.boolean(),
});

/**
 * The open invitations of an address that no mail has told of yet, each with a link of its own, which ends an earlier
 * one; undefined when none are left. A mail that is tried again tells of the same.
 */
export async function composeInvitations(
  db: Db,
  mail: DueMail,
  linkTo: (page: string, token: string) => string,
): Promise<MailMessage | undefined> {
  const claimed = await rowsOf(
    db,
    Claimed,
    sql`update invitations set mail_id = ${mail.id}
        where email = ${mail.address} and accepted_at is null and revoked_at is null
          and coalesce(mail_id, ${mail.id}) = ${mail.id}
        returning id`,
  );
  const links = claimed.map(({ id }) => ({ id, token: newToken() }));
  const hashes = links.map(({ id, token }) => ({ id, hash: hashOfToken(token) }));
  const told = await rowsOf(
    db,
    Told,
    sql`update invitations as one set token_hash = made.hash
        from jsonb_to_recordset(${JSON.stringify(hashes)}::jsonb) as made (id integer, hash text)
        where one.id = made.id and one.accepted_at is null and one.revoked_at is null
        returning one.id, (select name from universities where id = one.university_id) as university, one.role,
          (select name from departments where id = one.department_id) as department,
          (select title from course_offerings as run join courses on courses.id = run.course_id
           where run.id = one.course_offering_id) as course, one.teaches`,
  );
  if (told.length === 0) return undefined;
  const offers = links.flatMap(({ id, token }) =>
    told
      .filter((one) => one.id === id)
      .map((one) => `${inWords(one)}:\n\n${linkTo("/accept-invitation", token)}`),
  );
  const [first] = told;
  const more = told.length > 1 ? " and elsewhere" : "";
  return {
    to: mail.address,
    subject: inOneLine(`Your invitation to ${first?.university}${more}`),
    text: `${offers.join("\n\n")}\n\nThe link is good for seven days. If you did not expect it, there is nothing to do.`,
  };
}

function inWords({ university, role, department, course, teaches }: z.output<typeof Told>): string {
  const where = department ? `${university}, ${department}` : university;
  const roleName = role?.replaceAll("_", " ");
  const offered = [
    roleName && `the role of ${roleName}`,
    course && `${teaches ? "an instructor's" : "a"} place in ${course}`,
  ].filter(Boolean);
  return inOneLine(`${where} offers you ${offered.join(" and ")}. Accept it here`);
}
