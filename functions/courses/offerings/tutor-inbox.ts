import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import * as inbox from "../../../lib/tutor/tutor-inbox/tutor-inbox.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { TutorInbox } from "../../../schema/api/tutor/tutor-inbox.ts";

export const getTutorInbox = endpoint(
  {
    id: "getTutorInbox",
    method: "get",
    path: "/{offering_id}/tutor-inbox",
    summary: "Read the tutor inbox",
    description:
      "Lists open hand-offs, stored answers with the most bad ratings and departures, answers that " +
      "failed a check, and material that the tutor has not read. Counts cover at least five people.",
    ...permittedTo("discussion:moderate"),
    params: pathIds("offering_id"),
    ...ok(TutorInbox, "The inbox"),
    fails: [404],
  },
  ({ deps, actor, params }) =>
    inbox.getTutorInbox(deps.db, actor, params.offering_id, deps.config.TUTOR_MATERIAL_CHARACTERS),
);
