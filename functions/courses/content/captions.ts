import { parseCaptionsForCourse } from "../../../lib/courses/content/captions/import-captions.ts";
import { createImportFileFinder } from "../../../lib/files/find-import-file.ts";
import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { Captions, CaptionsCreate } from "../../../schema/api/courses/captions.ts";

export const readCaptions = endpoint(
  {
    id: "readCaptions",
    method: "post",
    path: "/captions",
    summary: "Convert captions of a video",
    description:
      "Converts WebVTT or SubRip (SRT), detected by content, into the `transcript` of a video's " +
      "`data_json`. Stores nothing. Errors name the file and the line.",
    ...permittedTo("content:write"),
    body: CaptionsCreate,
    ...ok(Captions, "The segments in their order"),
    fails: [400, 403, 404, 429, 503],
  },
  ({ deps, actor, body }) =>
    parseCaptionsForCourse(deps.db, actor, body, createImportFileFinder(deps, actor)),
);
