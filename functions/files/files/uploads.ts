import { completeUpload } from "../../../lib/files/complete.ts";
import * as files from "../../../lib/files/files.ts";
import { registerUpload } from "../../../lib/files/register-upload.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { ownDataOrPermitted, signedIn } from "../../../lib/identity/auth/guards.ts";
import { FileComplete, FileCreate, filePath, StoredFile } from "../../../schema/api/files/files.ts";

export const createFile = endpoint(
  {
    id: "createFile",
    method: "post",
    path: "/files/",
    summary: "Create a file upload",
    description:
      "Returns the upload address in the file store. `PUT` the bytes there with exactly these " +
      "headers, then complete the file. Files that are not completed or not used within 24 hours are " +
      "deleted, except assets. Returns 400 over the size limits of the purpose or the university, " +
      "and 429 over the person's daily limit.",
    ...ownDataOrPermitted(
      "asset:write",
      "content:write",
      "submission:grade",
      "discussion:read",
      "import:manage",
    ),
    body: FileCreate,
    ...created(StoredFile, "The PENDING file with its upload address"),
    fails: [400, 403, 404, 429, 503],
  },
  ({ deps, actor, body, http }) => registerUpload(deps, actor, body, publicUrl(http, deps.config)),
);

export const getFile = endpoint(
  {
    id: "getFile",
    method: "get",
    path: "/files/{file_id}",
    summary: "Read a file's metadata",
    description:
      "Everyone who may currently read the resource that uses the file may read it. An unused file is " +
      "visible to its uploader only. While it is PENDING, its uploader receives new upload addresses and " +
      "the list of received parts.",
    ...ownDataOrPermitted(
      "asset:read",
      "course:read-unpublished",
      "key:read",
      "submission:read",
      "discussion:read",
    ),
    params: filePath,
    ...ok(StoredFile, "The file"),
    fails: [404, 503],
  },
  ({ deps, actor, params, http }) => files.getFile(deps, actor, params.file_id, publicUrl(http, deps.config)),
);

export const completeFile = endpoint(
  {
    id: "completeFile",
    method: "post",
    path: "/files/{file_id}/complete",
    summary: "Complete a file upload",
    description:
      "Checks the size and the first bytes. A file that its purpose does not allow is REFUSED: returns " +
      "400 with the reason. Without a scanner, files up to 8 MB are READY immediately; others are " +
      "CHECKING first. Idempotent. Later uploads to the same address have no effect.",
    ...signedIn,
    params: filePath,
    body: FileComplete,
    ...ok(StoredFile, "The file, READY or CHECKING"),
    fails: [400, 404, 503],
  },
  ({ deps, actor, params, body }) => completeUpload(deps, actor, params.file_id, body.parts),
);

export const deleteFile = endpoint(
  {
    id: "deleteFile",
    method: "delete",
    path: "/files/{file_id}",
    summary: "Delete an unused file",
    ...signedIn,
    params: filePath,
    ...noContent("The caller's file is deleted"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => files.deleteFile(deps, actor, params.file_id),
);
