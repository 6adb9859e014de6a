import * as notes from "../../../lib/courses/content/tutor-notes.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { TutorNotes, TutorNotesUpdate } from "../../../schema/api/tutor/tutor-notes.ts";

const params = pathIds("content_id");

export const getContentTutorNotes = endpoint(
  {
    id: "getContentTutorNotes",
    method: "get",
    path: "/{content_id}/tutor-notes",
    summary: "Read tutor notes of an item",
    ...permittedTo("tutor-notes:read"),
    params,
    ...ok(TutorNotes, "The notes; empty with version 0 if none exist"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => notes.getTutorNotes(deps.db, actor, { content_item_id: params.content_id }),
);

export const setContentTutorNotes = endpoint(
  {
    id: "setContentTutorNotes",
    method: "put",
    path: "/{content_id}/tutor-notes",
    summary: "Set tutor notes of an item",
    description:
      "Prompts include the notes as `{{tutor_notes}}`. Learners cannot read them. Absent fields keep " +
      "their values. Running conversations keep the notes with which they started. New conversations " +
      "do not use answers stored for other notes.",
    ...permittedTo("tutor-notes:write"),
    params,
    body: TutorNotesUpdate,
    versioned: TutorNotes,
    ...ok(TutorNotes, "The notes"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body, ifMatch }) =>
    notes.setTutorNotes(deps.db, actor, { content_item_id: params.content_id }, body, ifMatch),
);
