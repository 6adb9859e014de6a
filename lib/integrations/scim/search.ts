import { type ScimQuery, scimPage } from "../../../schema/api/integrations/scim.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { listScimGroups, type StoredGroup } from "./groups.ts";
import { ScimError } from "./protocol.ts";
import type { StoredScimUser } from "./user-record.ts";
import { listScimUsers, type ScimProvisioner } from "./users.ts";

type Found = { total: number; startIndex: number; users: StoredScimUser[]; groups: StoredGroup[] };

/** Users before Groups. A kind without a filter's attribute has no results; 400 if both lack it. */
export async function searchScim(db: ReadDb, by: ScimProvisioner, query: ScimQuery): Promise<Found> {
  const { startIndex = 1, count = scimPage.usual } = query;
  const first = Math.max(1, startIndex);
  const users = await orRefusal(() => listScimUsers(db, by, query));
  const { total, users: found } = users instanceof ScimError ? { total: 0, users: [] } : users;
  const rest = {
    ...query,
    startIndex: Math.max(1, first - total),
    count: Math.min(count, scimPage.most) - found.length,
  };
  const groups = await orRefusal(() => listScimGroups(db, by, rest));
  if (groups instanceof ScimError) {
    if (users instanceof ScimError) throw groups;
    return { total, startIndex: first, users: found, groups: [] };
  }
  return { total: total + groups.total, startIndex: first, users: found, groups: groups.groups };
}

/** The page, or the error of a rejected filter. */
const orRefusal = <Page>(find: () => Promise<Page>): Promise<Page | ScimError> =>
  find().catch((error: unknown) => {
    if (error instanceof ScimError && error.scimType === "invalidFilter") return error;
    throw error;
  });
