import { sql } from "drizzle-orm";
import * as z from "zod";
import type { DataRequestKind } from "../../schema/enums.ts";
import { dataRequestKinds } from "../../schema/enums.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { type DueMail, inOneLine, type MailMessage } from "../mail/message.ts";

const Decided = z.object({
  university: z.string(),
  kind: z.enum(dataRequestKinds),
  is_rejected: z.boolean(),
});

const asked: Record<DataRequestKind, string> = {
  export: "a copy of the data that it has of you",
  rectify: "a correction of what it calls you",
  erase: "the erasure of the data that it has of you",
};

/** The mail that tells someone what universities have decided about their data since it was queued; nobody's words are in it. */
export async function composeDataRequests(
  db: Db,
  { id, address, user_id }: DueMail,
): Promise<MailMessage | undefined> {
  if (user_id === null) return undefined;
  const decided = await rowsOf(
    db,
    Decided,
    sql`
      select place.name as university, one.kind, one.state = 'rejected' as is_rejected
      from mail_outbox as mail join data_requests as one on one.user_id = mail.user_id and one.decided_at >= mail.created_at
      join universities as place on place.id = one.university_id
      where mail.id = ${id} order by one.decided_at, one.id limit 20`,
  );
  if (decided.length === 0) return undefined;
  const lines = decided.map(({ university, kind, is_rejected }) =>
    inOneLine(
      `${university} has ${is_rejected ? "rejected" : "granted"} a request in your name for ${asked[kind]}.`,
    ),
  );
  const last =
    "If you did not ask for it, or want to know more, turn to your university's data protection office.";
  return { to: address, subject: "A request about your data", text: [...lines, "", last].join("\n") };
}
