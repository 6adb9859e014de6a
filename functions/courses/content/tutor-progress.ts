import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { signedIn } from "../../../lib/identity/auth/guards.ts";
import { getTutorProgress as readTutorProgress } from "../../../lib/tutor/tutor-steps/progress.ts";
import { knowledgeParameters } from "../../../lib/tutor/tutor-steps/settings.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { TutorProgress, TutorProgressQuery } from "../../../schema/api/tutor/tutor-steps.ts";

export const getTutorProgress = endpoint(
  {
    id: "getTutorProgress",
    method: "get",
    path: "/{content_id}/tutor-progress",
    writes: "audit",
    writesWith: "user_id",
    summary: "Read progress with an item's tutor",
    description:
      "Computed from answers to the tutor's questions that have an answer key. It does not affect grades, " +
      "progress or certificates. An answer after a hint or other help does not count as correct at the " +
      "first try. Staff with the right to read tutor answers may send `user_id`, which the audit log " +
      "records. When staff correct a key, the progress is recomputed.",
    ...signedIn,
    params: pathIds("content_id"),
    query: TutorProgressQuery,
    ...ok(TutorProgress, "The progress and its confidence"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    readTutorProgress(deps.db, actor, params.content_id, query.user_id, knowledgeParameters(deps.config)),
);
