import * as notes from "../../../lib/courses/content/tutor-notes.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { TutorNotes, TutorNotesUpdate } from "../../../schema/api/tutor/tutor-notes.ts";

const params = pathIds("course_id");

export const getCourseTutorNotes = endpoint(
  {
    id: "getCourseTutorNotes",
    method: "get",
    path: "/{course_id}/tutor-notes",
    summary: "Read what teachers tell the tutor of a whole course",
    description: "For the course's staff, and for none of them who learn it.",
    ...may("tutor-notes:read"),
    params,
    ...ok(TutorNotes, "The notes, empty ones of version 0 where nothing was written yet"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => notes.getTutorNotes(deps.db, actor, params),
);

export const setCourseTutorNotes = endpoint(
  {
    id: "setCourseTutorNotes",
    method: "put",
    path: "/{course_id}/tutor-notes",
    summary: "Write what the tutor alone is told of a whole course",
    description:
      "A prompt has them as `{{course_notes}}`, and learners read them nowhere. What is absent stays as it was.",
    ...may("tutor-notes:write"),
    params,
    body: TutorNotesUpdate,
    versioned: TutorNotes,
    ...ok(TutorNotes, "The notes"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body, ifMatch }) => notes.setTutorNotes(deps.db, actor, params, body, ifMatch),
);
