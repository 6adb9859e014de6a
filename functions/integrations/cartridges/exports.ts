import { byteStreamResponse } from "../../../lib/http/byte-stream.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { negotiateContentType } from "../../../lib/http/negotiate-content-type.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { exportCartridge } from "../../../lib/integrations/cartridges/export.ts";
import { contentDispositionHeader } from "../../../lib/platform/file-store/disposition.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const exportCourseAsCartridge = endpoint(
  {
    id: "exportCourseAsCartridge",
    method: "get",
    path: "/courses/{course_id}",
    summary: "Export a course as Common Cartridge",
    description:
      "Streams a Common Cartridge 1.3 archive with modules, texts, links, files, quizzes with answer keys " +
      "(QTI 1.2), and assignments. Importing it here restores the same tree; other programs read the " +
      "standard parts. Excludes tutor notes, prompts, lab environments, dates and people's data.",
    ...permittedTo("content:write", "key:read"),
    params: pathIds("course_id"),
    answer: {
      status: 200,
      schema: undefined,
      description: "The cartridge, a ZIP archive",
      also: { "application/zip": "PK", "application/octet-stream": "PK" },
    },
    fails: [400, 403, 404, 503],
  },
  async ({ deps, actor, params, http }) => {
    const { name, chunks } = await exportCartridge(deps, actor, params.course_id);
    return byteStreamResponse(http, chunks, {
      type: negotiateContentType(http, "application/zip", "application/octet-stream"),
      disposition: contentDispositionHeader(name, { inline: false }),
    });
  },
);
