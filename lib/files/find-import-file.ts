import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../deps.ts";
import { nonexistentFileBadRequest } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { tokenReachCondition } from "../identity/auth/token-reach.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import type { FindUploadedFile, ImportTarget } from "../platform/readers/uploaded-file.ts";

/** University imports have no course. */
const placeOf = (scope: ImportTarget): SQL => {
  if ("university_id" in scope)
    return sql`select ${scope.university_id}::int as university_id, null::int as course_id`;
  if ("offering_id" in scope)
    return sql`
      select courses.university_id, courses.id as course_id
      from course_offerings join courses on courses.id = course_offerings.course_id
      where course_offerings.id = ${scope.offering_id}`;
  if ("course_id" in scope)
    return sql`select university_id, id as course_id from courses where id = ${scope.course_id}`;
  return sql`select university_id, course_id from question_pools where id = ${scope.question_pool_id}`;
};

const Found = z.object({ name: z.string(), size: z.number(), key: z.string() });

/**
 * Files that the caller uploaded for imports: READY, of that university, and of that course or none. 400 for
 * any other.
 */
export const createImportFileFinder =
  ({ db, fileStore }: Pick<Deps, "db" | "fileStore">, actor: Actor): FindUploadedFile =>
  async (id, scope) => {
    const [found] = await rowsOf(
      db,
      Found,
      sql`
        select files.name, files.size::float8 as size, stored_objects.key
        from (${placeOf(scope)}) as place
        join files on files.university_id = place.university_id
          and (files.course_id is null or files.course_id = place.course_id)
        join stored_objects on stored_objects.id = files.object_id
        where files.id = ${id} and files.purpose = 'import' and files.state = 'ready' and files.erased_at is null
          and files.uploaded_by_user_id = ${actor.id} and ${tokenReachCondition(actor, sql`files.university_id`) ?? sql`true`}`,
    );
    if (!found) throw nonexistentFileBadRequest(id);
    return {
      name: found.name,
      size: found.size,
      async open() {
        const stream = await fileStore.read(found.key);
        if (!stream) throw nonexistentFileBadRequest(id);
        return stream;
      },
    };
  };
