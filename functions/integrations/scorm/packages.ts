import { BufferedResponse } from "../../../lib/http/buffered-response.ts";
import { readBundledText } from "../../../lib/http/bundled-file.ts";
import { parseRangeHeader } from "../../../lib/http/byte-range.ts";
import { byteStreamResponse } from "../../../lib/http/byte-stream.ts";
import { createdOrFound, endpoint } from "../../../lib/http/endpoint.ts";
import { anyone, permittedTo } from "../../../lib/identity/auth/guards.ts";
import { fileIdOfValidPackageToken, findPackageFile } from "../../../lib/integrations/scorm/package-files.ts";
import * as packages from "../../../lib/integrations/scorm/packages.ts";
import {
  packageMediaType,
  playerPage,
  scormPackageCsp,
  scormPlayerCsp,
} from "../../../lib/integrations/scorm/pages.ts";
import {
  ScormFilePath,
  ScormPackage,
  ScormPackageCreate,
  ScormPackagePath,
} from "../../../schema/api/integrations/scorm.ts";

const hours = 12 * 3600;

/** The token is in the address, so only the browser of its owner may keep the response. */
const kept = { "Cache-Control": `private, max-age=${hours}, immutable` };

export const registerScormPackage = endpoint(
  {
    id: "registerScormPackage",
    method: "post",
    path: "/packages",
    summary: "Check an uploaded SCORM package",
    description:
      "The file is a ZIP archive with `imsmanifest.xml` of SCORM 1.2 or 2004. Items can use it afterwards. Returns " +
      "400 with the fault and the file's path, for example for a path that leaves the archive.",
    ...permittedTo("content:write"),
    body: ScormPackageCreate,
    ...createdOrFound(ScormPackage, "The package", "The file was checked before"),
    fails: [400, 403, 503],
  },
  ({ deps, actor, body }) => packages.registerScormPackage(deps, actor, body.file_id),
);

/** Not JSON. */
const content = (description: string, also: Record<string, string>) =>
  ({ status: 200, schema: undefined, description, also }) as const;

export const getScormPlayer = endpoint(
  {
    id: "getScormPlayer",
    method: "get",
    path: "/packages/{package_token}/player",
    summary: "Open a SCORM package's player",
    description: "Only on the origin of packages. It frames the package and provides the standard's API.",
    ...anyone,
    params: ScormPackagePath,
    answer: content("A page to frame", { "text/html": "<!doctype html>" }),
    fails: [404],
  },
  async ({ deps, params, http }) => {
    fileIdOfValidPackageToken(deps, params.package_token, http.req.url);
    return http.html(playerPage, 200, { "Content-Security-Policy": scormPlayerCsp, ...kept });
  },
);

export const getScormPlayerScript = endpoint(
  {
    id: "getScormPlayerScript",
    method: "get",
    path: "/packages/{package_token}/player.js",
    summary: "Read the script of the player",
    ...anyone,
    changesSeldom: true,
    params: ScormPackagePath,
    answer: content("A script", { "text/javascript": "export {};" }),
    fails: [404],
  },
  async ({ deps, params, http }) => {
    fileIdOfValidPackageToken(deps, params.package_token, http.req.url);
    const script = await readBundledText(new URL("../../../app/built/scorm-player.js", import.meta.url));
    return http.body(script, 200, {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": "private, no-cache",
    });
  },
);

export const getScormFile = endpoint(
  {
    id: "getScormFile",
    method: "get",
    path: "/packages/{package_token}/files/{file_path}",
    summary: "Read a SCORM package's file",
    description: "Only on the origin of packages. Supports range requests.",
    ...anyone,
    params: ScormFilePath,
    answer: content("The file, or the requested range, with the media type of its extension", {
      "text/html": "<!doctype html>",
      "application/octet-stream": "PK",
    }),
    fails: [404, 503],
  },
  async ({ deps, params: { package_token, file_path }, http }) => {
    const fileId = fileIdOfValidPackageToken(deps, package_token, http.req.url);
    const file = await findPackageFile(deps, fileId, file_path);
    const headers = { ...kept, "Content-Security-Policy": scormPackageCsp, "Accept-Ranges": "bytes" };
    const range = parseRangeHeader(http.req.header("range"), file.size);
    if (range === "unsatisfiable")
      return new BufferedResponse(null, 416, { ...headers, "Content-Range": `bytes */${file.size}` });
    const { start, end } = range ?? { start: 0, end: file.size };
    return byteStreamResponse(http, file.chunks(start, end), {
      type: packageMediaType(file_path),
      ...(range && { status: 206 as const }),
      headers: {
        ...headers,
        "Content-Length": String(end - start),
        // A compressed part would be no part of the file.
        ...(range && {
          "Content-Range": `bytes ${start}-${end - 1}/${file.size}`,
          "Cache-Control": `${kept["Cache-Control"]}, no-transform`,
        }),
      },
    });
  },
);
