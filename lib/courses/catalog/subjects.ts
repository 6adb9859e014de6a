import { subjects } from "../../../schema/db/courses/subjects.ts";
import { badRequest } from "../../errors.ts";
import { searchAndSortBy } from "../../platform/db/query/search-and-sort.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";
import { crudOf } from "./crud.ts";

const crud = crudOf(
  subjects,
  "Subject",
  searchAndSortBy(subjects.search_text, "name", { code: [subjects.code] }),
);

/**
 * In use by child subjects and courses. Triggers compute a moved subtree's `depth`, and reject a move below
 * itself (400).
 */
export const subjectCrud: typeof crud = {
  ...crud,
  async update(db, id, change) {
    return crud.update(db, id, change).catch((error) => {
      if (constraintViolationIn(error)?.constraint !== "subjects_not_below_itself") throw error;
      throw badRequest("subject_below_itself", { id: change.parent_subject_id });
    });
  },
};
