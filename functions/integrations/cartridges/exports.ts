import { askedType } from "../../../lib/http/asked-type.ts";
import { byteStream } from "../../../lib/http/byte-stream.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { exportCartridge } from "../../../lib/integrations/cartridges/export.ts";
import { dispositionOf } from "../../../lib/platform/file-store/disposition.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const exportCourseAsCartridge = endpoint(
  {
    id: "exportCourseAsCartridge",
    method: "get",
    path: "/courses/{course_id}",
    summary: "Take a course along as a Common Cartridge 1.3",
    description:
      "An archive that is sent as it is made: modules, texts, links, files, quizzes with their keys as QTI 1.2, and work. Its " +
      "own import makes the same tree of it; other programs read what the standard has. Notes for the tutor, prompts, " +
      "environments of labs, dates and everything of people are not in it.",
    ...may("content:write", "key:read"),
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
    return byteStream(http, chunks, {
      type: askedType(http, "application/zip", "application/octet-stream"),
      disposition: dispositionOf(name, { inline: false }),
    });
  },
);
