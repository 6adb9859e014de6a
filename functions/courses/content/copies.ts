import * as copying from "../../../lib/courses/content/copying.ts";
import { created, endpoint } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { ContentItem } from "../../../schema/api/courses/content.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const copyContent = endpoint(
  {
    id: "copyContent",
    method: "post",
    path: "/{content_id}/copy",
    summary: "Copy a content item",
    description:
      "Into the same module, behind the original and inactive, as `… (copy)` in the course's language, with its dates, " +
      "files, tutor notes, pins, and the tutor's stored answers, which are taken over as by a copy of the course. A quiz " +
      "draws from the same pool. What offerings say of the original, and what people did with it, is not copied.",
    ...may("content:write"),
    params: pathIds("content_id"),
    ...created(ContentItem, "The copy"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params: { content_id } }) => copying.copyContentItem(deps.db, actor, content_id),
);
