import * as notes from "../../../lib/courses/content/tutor-notes.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";
import { TutorNotes, TutorNotesUpdate } from "../../../schema/api/tutor/tutor-notes.ts";

const params = pathIds("content_id");

export const getContentTutorNotes = endpoint(
  {
    id: "getContentTutorNotes",
    method: "get",
    path: "/{content_id}/tutor-notes",
    summary: "Read what teachers tell the tutor of an item",
    description: "For the course's staff, and for none of them who learn it.",
    ...may("tutor-notes:read"),
    params,
    ...ok(TutorNotes, "The notes, empty ones of version 0 where nothing was written yet"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => notes.getTutorNotes(deps.db, actor, { content_item_id: params.content_id }),
);

export const setContentTutorNotes = endpoint(
  {
    id: "setContentTutorNotes",
    method: "put",
    path: "/{content_id}/tutor-notes",
    summary: "Write what the tutor alone is told of an item",
    description:
      "A prompt has them as `{{tutor_notes}}`, and learners read them nowhere. What is absent stays as it was. Conversations that have begun keep what was written then, and stored answers count as answers to what was written.",
    ...may("tutor-notes:write"),
    params,
    body: TutorNotesUpdate,
    versioned: TutorNotes,
    ...ok(TutorNotes, "The notes"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body, ifMatch }) =>
    notes.setTutorNotes(deps.db, actor, { content_item_id: params.content_id }, body, ifMatch),
);
