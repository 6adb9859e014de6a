import * as copying from "../../../lib/courses/modules/copying.ts";
import { created, endpoint } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { Module } from "../../../schema/api/courses/modules.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const copyModule = endpoint(
  {
    id: "copyModule",
    method: "post",
    path: "/{module_id}/copy",
    summary: "Copy a module",
    description:
      "Adds an unpublished copy behind the original in the same course, named `… (copy)` in the course's " +
      "language. Copies everything below it: dates, requirements, files, tutor notes, pins and the " +
      "tutor's stored answers, as when copying a course. Copied quizzes use the same pools. Does not copy " +
      "dates of offerings or learners' data.",
    ...permittedTo("module:write"),
    params: pathIds("module_id"),
    ...created(Module, "The copy without its items"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params: { module_id } }) => copying.copyModule(deps.db, actor, module_id),
);
