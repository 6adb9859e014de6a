import { and, eq } from "drizzle-orm";
import type { Captions, CaptionsCreate } from "../../../../schema/api/courses/captions.ts";
import { courses } from "../../../../schema/db/courses/courses.ts";
import type { Actor } from "../../../identity/auth/actor.ts";
import type { Db } from "../../../platform/db/client.ts";
import { fileReaderThreadPool } from "../../../platform/readers/reading-threads.ts";
import type { FindUploadedFile } from "../../../platform/readers/uploaded-file.ts";
import { decodeOmission } from "../../../platform/results/omission-codes.ts";
import { coursePermissionCondition } from "../../course-permissions.ts";
import { explainCourseRefusal } from "../../courses.ts";
import type { CaptionsWorkerInput, parseCaptionsBytesOrUpload } from "./read-captions.ts";

const captionsReader = new URL("./captions-reader.ts", import.meta.url);

/**
 * The transcript of captions for a film of the course; writes nothing. 404 or 403 without the right to write
 * content, 400 for unreadable captions, errors of `find` for an upload.
 */
export async function parseCaptionsForCourse(
  db: Db,
  actor: Actor,
  { course_id, name, captions, file_id }: CaptionsCreate,
  find: FindUploadedFile,
): Promise<Captions> {
  const [course] = await db
    .select({ id: courses.id })
    .from(courses)
    .where(and(eq(courses.id, course_id), coursePermissionCondition(actor, "content:write")));
  if (!course) return explainCourseRefusal(db, actor, course_id);
  const sent = file_id === undefined ? undefined : await find(file_id, { course_id });
  const bytes = sent ? undefined : Buffer.from(captions ?? "", "base64");
  const given: CaptionsWorkerInput = { name: sent?.name ?? name, bytes };
  type Read = Awaited<ReturnType<typeof parseCaptionsBytesOrUpload>>;
  const { leftOut, ...read } = await fileReaderThreadPool.read<Read>(captionsReader, given, actor.id, sent);
  const lines = leftOut.map(decodeOmission);
  return { ...read, left_out: lines.map(({ line }) => line), left_out_codes: lines.map(({ code }) => code) };
}
