import * as notes from "../../../lib/courses/content/tutor-notes.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { TutorNotes, TutorNotesUpdate } from "../../../schema/api/tutor/tutor-notes.ts";

const params = pathIds("course_id");

export const getCourseTutorNotes = endpoint(
  {
    id: "getCourseTutorNotes",
    method: "get",
    path: "/{course_id}/tutor-notes",
    summary: "Read tutor notes of a course",
    ...permittedTo("tutor-notes:read"),
    params,
    ...ok(TutorNotes, "The notes; empty with version 0 if none exist"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => notes.getTutorNotes(deps.db, actor, params),
);

export const setCourseTutorNotes = endpoint(
  {
    id: "setCourseTutorNotes",
    method: "put",
    path: "/{course_id}/tutor-notes",
    summary: "Set tutor notes of a course",
    description:
      "Prompts include the notes as `{{course_notes}}`. Learners cannot read them. Absent fields keep " +
      "their values.",
    ...permittedTo("tutor-notes:write"),
    params,
    body: TutorNotesUpdate,
    versioned: TutorNotes,
    ...ok(TutorNotes, "The notes"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body, ifMatch }) => notes.setTutorNotes(deps.db, actor, params, body, ifMatch),
);
