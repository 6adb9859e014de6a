import type { Context } from "hono";
import * as files from "../../../lib/files/files.ts";
import { BufferedResponse } from "../../../lib/http/buffered-response.ts";
import { endpoint, ok, okOrRedirect } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { anyone, publicOrPermittedTo } from "../../../lib/identity/auth/guards.ts";
import {
  AvatarPath,
  FileAddress,
  FileAddresses,
  FileAddressesAsk,
  FileContentQuery,
  filePath,
  LogoPath,
} from "../../../schema/api/files/files.ts";

const readers = publicOrPermittedTo(
  "asset:read",
  "course:read-unpublished",
  "key:read",
  "submission:read",
  "discussion:read",
  "discussion:moderate",
);

/** The URL as JSON if requested, else a redirect. */
const leadTo = (http: Context, address: FileAddress): FileAddress | BufferedResponse =>
  http.req.header("accept")?.includes("application/json")
    ? address
    : new BufferedResponse(null, 302, { Location: address.url, "Cache-Control": "no-store" });

export const getFileContent = endpoint(
  {
    id: "getFileContent",
    method: "get",
    path: "/files/{file_id}/content",
    summary: "Read a file",
    description:
      "Redirects to an address that is valid for 5 minutes (6 hours for audio and video) and supports " +
      "range requests. With `Accept: application/json`, returns the address. The file downloads as an " +
      "attachment, unless `inline` is set and its type is safe to display. Public files need no token.",
    ...readers,
    params: filePath,
    query: FileContentQuery,
    ...okOrRedirect(FileAddress, "The address of the file", "Redirect to the file"),
    fails: [404, 503],
  },
  async ({ deps, actor, params, query, http }) =>
    leadTo(
      http,
      await files.getFileDownloadUrl(deps, actor, params.file_id, {
        inline: query.inline,
        publicUrl: publicUrl(http, deps.config),
      }),
    ),
);

export const getFileAddresses = endpoint(
  {
    id: "getFileAddresses",
    method: "post",
    path: "/files/addresses",
    summary: "Read addresses of many files",
    description:
      "For images in a page, which the browser loads without a token. Send at most 100 ids. Files " +
      "that the caller may not read are omitted.",
    ...readers,
    shares: "nothing",
    body: FileAddressesAsk,
    ...ok(FileAddresses, "Addresses in the order of the ids"),
    fails: [503],
  },
  ({ deps, actor, body, http }) => files.getFileDownloadUrls(deps, actor, body, publicUrl(http, deps.config)),
);

export const getAvatar = endpoint(
  {
    id: "getAvatar",
    method: "get",
    path: "/avatars/{token}",
    summary: "Read a person's picture",
    description:
      "Needs only the address, which changes with the picture and is known only to callers who have seen " +
      "it.",
    ...anyone,
    params: AvatarPath,
    ...okOrRedirect(FileAddress, "The address of the picture", "Redirect to the picture"),
    fails: [404, 503],
  },
  async ({ deps, params, http }) =>
    leadTo(http, await files.getAvatarDownloadUrl(deps, params.token, publicUrl(http, deps.config))),
);

export const getLogo = endpoint(
  {
    id: "getLogo",
    method: "get",
    path: "/logos/{logo_token}",
    summary: "Read a university's logo",
    description: "Needs only the address, which changes with the logo. The sign-in page shows the logo.",
    ...anyone,
    params: LogoPath,
    ...okOrRedirect(FileAddress, "The address of the logo", "Redirect to the logo"),
    fails: [404, 503],
  },
  async ({ deps, params, http }) =>
    leadTo(http, await files.getLogoDownloadUrl(deps, params.logo_token, publicUrl(http, deps.config))),
);
