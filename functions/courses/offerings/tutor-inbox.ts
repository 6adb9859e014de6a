import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import * as inbox from "../../../lib/tutor/tutor-inbox/tutor-inbox.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { TutorInbox } from "../../../schema/api/tutor/tutor-inbox.ts";

export const getTutorInbox = endpoint(
  {
    id: "getTutorInbox",
    method: "get",
    path: "/{offering_id}/tutor-inbox",
    summary: "Read what the tutor has for an offering's staff",
    description:
      "Who waits for a person, the stored answers that went wrong most, and what of the items the tutor has not read. Nothing is counted of fewer than five people.",
    ...may("discussion:moderate"),
    params: pathIds("offering_id"),
    ...ok(TutorInbox, "The inbox"),
    fails: [404],
  },
  ({ deps, actor, params }) =>
    inbox.getTutorInbox(deps.db, actor, params.offering_id, deps.config.TUTOR_MATERIAL_CHARACTERS),
);
