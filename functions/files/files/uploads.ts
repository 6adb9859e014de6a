import { completeUpload } from "../../../lib/files/complete.ts";
import * as files from "../../../lib/files/files.ts";
import { promiseUpload } from "../../../lib/files/promise.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { ownOr, signedIn } from "../../../lib/identity/auth/guards.ts";
import { FileComplete, FileCreate, filePath, StoredFile } from "../../../schema/api/files/files.ts";

export const createFile = endpoint(
  {
    id: "createFile",
    method: "post",
    path: "/files/",
    summary: "Promise an upload",
    description:
      "Answers where the bytes are sent, which is the file store itself: `PUT` them there with exactly these headers, then complete the file. What is not completed within 24 hours goes, and so does what hangs on nothing for as long, assets apart. 400 over what a file of the purpose or the university may have, 429 over what a person may send in a day.",
    ...ownOr("asset:write", "content:write", "submission:grade", "discussion:read", "import:manage"),
    body: FileCreate,
    ...created(StoredFile, "The file, PENDING, with where its bytes are sent"),
    fails: [400, 403, 404, 429, 503],
  },
  ({ deps, actor, body, http }) => promiseUpload(deps, actor, body, publicUrl(http, deps.config)),
);

export const getFile = endpoint(
  {
    id: "getFile",
    method: "get",
    path: "/files/{file_id}",
    summary: "Read what is known of a file",
    description:
      "Whoever may read what it hangs on at this moment may read it; until it hangs somewhere its uploader alone. While it is PENDING its uploader is told anew where its bytes are sent, and which parts are there.",
    ...ownOr("asset:read", "course:read-unpublished", "key:read", "submission:read", "discussion:read"),
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
    summary: "Say that the bytes of a file are sent",
    description:
      "Its size and its first bytes are looked at: what its purpose does not allow is REFUSED, a 400 with the reason. A file of up to 8 MB is READY at once where no scanner is set; others are CHECKING first. Completing it once more is the same. What is sent to the same address afterwards changes nothing.",
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
    summary: "Delete a file of one's own that hangs on nothing",
    ...signedIn,
    params: filePath,
    ...noContent("Deleted"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => files.deleteFile(deps, actor, params.file_id),
);
