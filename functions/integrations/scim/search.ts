import { endpoint } from "../../../lib/http/endpoint.ts";
import { toScimGroup } from "../../../lib/integrations/scim/groups.ts";
import { projectAttributes } from "../../../lib/integrations/scim/page.ts";
import { listResponse } from "../../../lib/integrations/scim/protocol.ts";
import * as all from "../../../lib/integrations/scim/search.ts";
import { toScimUser } from "../../../lib/integrations/scim/user-record.ts";
import { ScimSearch } from "../../../schema/api/integrations/scim.ts";
import { bySystemApiKey, scimBaseUrl, scimResponseContract } from "./contract.ts";
import { logAndBuildScimResponse } from "./replies.ts";

export const searchScim = endpoint(
  {
    id: "searchScim",
    method: "post",
    path: "/.search",
    summary: "Search SCIM users and groups",
    ...bySystemApiKey,
    body: ScimSearch,
    ...scimResponseContract(200, "A ListResponse, users first"),
  },
  async ({ deps, actor, body, http }) => {
    const base = scimBaseUrl(http, deps.config);
    const { users, groups, ...page } = await all.searchScim(deps.db, actor, body);
    const found = [
      ...users.map((one) => toScimUser(one, base)),
      ...groups.map((one) => toScimGroup(one, base)),
    ];
    return logAndBuildScimResponse(
      listResponse({ ...page, items: found.map((one) => projectAttributes(one, body)) }),
    );
  },
);
