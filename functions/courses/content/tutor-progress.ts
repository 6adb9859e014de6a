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
    summary: "Read how far one has come with an item's tutor",
    description:
      "Of the answers to the tutor's questions that have a key. Practice only: it is in no grade, progress or certificate. An answer after a hint, or another move for help, does not count as right at the first try. Staff who may read the tutor's answers read another person's with `user_id`, which the audit log is told. With another right option, once staff correct it, all is worked out anew.",
    ...signedIn,
    params: pathIds("content_id"),
    query: TutorProgressQuery,
    ...ok(TutorProgress, "How far, and how sure that is"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) =>
    readTutorProgress(deps.db, actor, params.content_id, query.user_id, knowledgeParameters(deps.config)),
);
