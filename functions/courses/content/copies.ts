import * as copying from "../../../lib/courses/content/copying.ts";
import { created, endpoint } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { ContentItem } from "../../../schema/api/courses/content.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const copyContent = endpoint(
  {
    id: "copyContent",
    method: "post",
    path: "/{content_id}/copy",
    summary: "Copy a content item",
    description:
      "Adds an inactive copy behind the original in the same module, named `… (copy)` in the course's " +
      "language. Copies dates, files, tutor notes, pins and the tutor's stored answers, as when copying a " +
      "course. A copied quiz uses the same pool. Does not copy dates of offerings or learners' data.",
    ...permittedTo("content:write"),
    params: pathIds("content_id"),
    ...created(ContentItem, "The copy"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params: { content_id } }) => copying.copyContentItem(deps.db, actor, content_id),
);
