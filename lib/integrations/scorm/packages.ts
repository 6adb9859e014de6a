import { sql } from "drizzle-orm";
import * as z from "zod";
import type { ScormPackage } from "../../../schema/api/integrations/scorm.ts";
import { coursePermissionCondition, visibleCourseCondition } from "../../courses/course-permissions.ts";
import type { Deps } from "../../deps.ts";
import { badRequest, forbidden, nonexistentFileBadRequest } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { fileStoreRandomAccess } from "../cartridges/archive.ts";
import { checkScormPackage, storeScormPackage } from "../cartridges/scorm-package.ts";

type Parts = Pick<Deps, "db" | "fileStore" | "now">;

const Named = z.object({
  key: z.string(),
  size: z.number(),
  is_ready: z.boolean(),
  is_visible: z.boolean(),
  may_write: z.boolean(),
});

/**
 * Checks an uploaded file as a SCORM package, and keeps its organization and directory. Its files stay in the
 * archive. 400 names the fault and the file; 403 unless the caller may write the course's content.
 */
export async function registerScormPackage(
  { db, fileStore, now }: Parts,
  actor: Actor,
  fileId: number,
): Promise<ScormPackage> {
  const [file] = await rowsOf(
    db,
    Named,
    sql`
      select stored_objects.key, files.size::float8 as size, files.state = 'ready' as is_ready,
             ${visibleCourseCondition(actor)} as is_visible, ${coursePermissionCondition(actor, "content:write")} as may_write
      from files
      join stored_objects on stored_objects.id = files.object_id
      join courses on courses.id = files.course_id
      where files.id = ${fileId} and files.purpose = 'asset' and files.state in ('checking', 'ready')
        and files.erased_at is null`,
  );
  if (!file?.is_visible) throw nonexistentFileBadRequest(fileId);
  if (!file.may_write) throw forbidden();
  if (!file.is_ready) throw badRequest("scorm_file_not_ready");
  const source = fileStoreRandomAccess(fileStore, file.key, file.size, () =>
    nonexistentFileBadRequest(fileId),
  );
  const checked = await checkScormPackage(source, actor.id);
  const checked_at = now().toISOString();
  if (!(await storeScormPackage(db, fileId, checked, checked_at))) throw nonexistentFileBadRequest(fileId);
  const { version, title, scos } = checked.manifest;
  return {
    ...{ file_id: fileId, version, title, checked_at },
    scos: scos.map(({ id, title, is_sco, passing_score, completion_threshold }) => ({
      ...{ id, title, is_sco, passing_score, completion_threshold },
    })),
  };
}
