import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { NamedPerson } from "../../../schema/api/identity/named-person.ts";
import { personIdByExternalIdSql } from "../users/member-names.ts";

/** A query of `user_id`. Empty if there is no such member. */
export function namedMemberQuery(
  university: SQLWrapper | number,
  { user_id, email, external_id }: NamedPerson,
): SQL {
  const id = sql`${university}::int`;
  const isNamed =
    email !== undefined
      ? sql`email = ${email}`
      : sql`user_id = ${user_id ?? personIdByExternalIdSql(id, external_id ?? "")}`;
  return sql`select user_id from university_members where university_id = ${id} and ${isNamed}`;
}
