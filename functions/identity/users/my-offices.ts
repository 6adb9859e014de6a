import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import * as offices from "../../../lib/identity/universities/offices.ts";
import { MyOffice } from "../../../schema/api/courses/accommodations.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";

export const listMyOffices = endpoint(
  {
    id: "listMyOffices",
    method: "get",
    path: "/me/offices",
    summary: "List the caller's offices",
    ...signedIn,
    ...ok(listOf(MyOffice), "Rights that universities granted independently of roles"),
  },
  ({ deps, actor }) => offices.listMyOffices(deps.db, actor),
);
