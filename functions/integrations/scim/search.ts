import { endpoint } from "../../../lib/http/endpoint.ts";
import { groupOf } from "../../../lib/integrations/scim/groups.ts";
import { projectAttributes } from "../../../lib/integrations/scim/page.ts";
import { listResponse } from "../../../lib/integrations/scim/protocol.ts";
import * as all from "../../../lib/integrations/scim/search.ts";
import { userOf } from "../../../lib/integrations/scim/user-record.ts";
import { ScimSearch } from "../../../schema/api/integrations/scim.ts";
import { answered, baseOf, bySystem } from "./contract.ts";
import { scimAnswer } from "./replies.ts";

export const searchScim = endpoint(
  {
    id: "searchScim",
    method: "post",
    path: "/.search",
    summary: "Search SCIM users and groups",
    ...bySystem,
    body: ScimSearch,
    ...answered(200, "A ListResponse, users first"),
  },
  async ({ deps, actor, body, http }) => {
    const base = baseOf(http, deps.config);
    const { users, groups, ...page } = await all.searchScim(deps.db, actor, body);
    const found = [...users.map((one) => userOf(one, base)), ...groups.map((one) => groupOf(one, base))];
    return scimAnswer(listResponse({ ...page, items: found.map((one) => projectAttributes(one, body)) }));
  },
);
