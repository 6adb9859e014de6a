import * as copying from "../../../lib/courses/modules/copying.ts";
import { created, endpoint } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { Module } from "../../../schema/api/courses/modules.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const copyModule = endpoint(
  {
    id: "copyModule",
    method: "post",
    path: "/{module_id}/copy",
    summary: "Copy a module with all that is in it",
    description:
      "Into the same course, behind the original and unpublished, as `… (copy)` in the course's language. What is in it " +
      "and below it is as in the original: dates, what is asked for first, files, tutor notes, pins, and the tutor's " +
      "stored answers, which are taken over as by a copy of the course. Quizzes draw from the same pools. What offerings " +
      "say of the original, and what people did with it, is not copied.",
    ...may("module:write"),
    params: pathIds("module_id"),
    ...created(Module, "The copy; its items are read as those of any module"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params: { module_id } }) => copying.copyModule(deps.db, actor, module_id),
);
