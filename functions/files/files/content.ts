import type { Context } from "hono";
import * as files from "../../../lib/files/files.ts";
import { BufferedResponse } from "../../../lib/http/buffered-response.ts";
import { endpoint, ok, okOrRedirect } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { anyone, publishedOr } from "../../../lib/identity/auth/guards.ts";
import {
  AvatarPath,
  FileAddress,
  FileAddresses,
  FileAddressesAsk,
  FileContentQuery,
  filePath,
  LogoPath,
} from "../../../schema/api/files/files.ts";

const readers = publishedOr(
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
      "A redirect to an address that holds for 5 minutes, of sound and films for 6 hours, and knows ranges; with `Accept: application/json` that address. It is saved as an attachment with its name unless it is asked for `inline` and of a kind that is safe to show. What everyone may read needs no token.",
    ...readers,
    params: filePath,
    query: FileContentQuery,
    ...okOrRedirect(FileAddress, "Where it is read", "To where it is read"),
    fails: [404, 503],
  },
  async ({ deps, actor, params, query, http }) =>
    leadTo(
      http,
      await files.addressOfFile(deps, actor, params.file_id, {
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
    summary: "Read where many files are read",
    description:
      "For the pictures of a page, which send no token: as many as 100 at once. What the caller may not read is left out.",
    ...readers,
    shares: "nothing",
    body: FileAddressesAsk,
    ...ok(FileAddresses, "Addresses in the order of the ids"),
    fails: [503],
  },
  ({ deps, actor, body, http }) => files.addressesOfFiles(deps, actor, body, publicUrl(http, deps.config)),
);

export const getAvatar = endpoint(
  {
    id: "getAvatar",
    method: "get",
    path: "/avatars/{token}",
    summary: "Read the picture of a person",
    description: "By its address alone, which changes with the picture and is known to whoever was shown it.",
    ...anyone,
    params: AvatarPath,
    ...okOrRedirect(FileAddress, "Where it is read", "To where it is read"),
    fails: [404, 503],
  },
  async ({ deps, params, http }) =>
    leadTo(http, await files.addressOfAvatar(deps, params.token, publicUrl(http, deps.config))),
);

export const getLogo = endpoint(
  {
    id: "getLogo",
    method: "get",
    path: "/logos/{logo_token}",
    summary: "Read the logo of a university",
    description: "By its address alone, which changes with the logo: it is shown before anyone signs in.",
    ...anyone,
    params: LogoPath,
    ...okOrRedirect(FileAddress, "Where it is read", "To where it is read"),
    fails: [404, 503],
  },
  async ({ deps, params, http }) =>
    leadTo(http, await files.addressOfLogo(deps, params.logo_token, publicUrl(http, deps.config))),
);
