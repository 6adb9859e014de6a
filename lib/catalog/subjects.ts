import { subjects } from "../../schema/db/subjects.ts";
import { listedBy } from "../db/query/search-and-sort.ts";
import { refusalIn } from "../db/query/violations.ts";
import { badRequest } from "../errors.ts";
import { crudOf } from "./crud.ts";

const crud = crudOf(subjects, "Subject", listedBy(subjects.search_text, "name", { code: [subjects.code] }));

/**
 * In use by the subjects below it and by courses. Triggers keep the tree: they compute each `depth`, take the
 * depths of a subtree along with its root, and refuse a move below itself, which is a 400 here.
 */
export const subjectCrud: typeof crud = {
  ...crud,
  async update(db, id, change) {
    return crud.update(db, id, change).catch((error) => {
      if (refusalIn(error)?.constraint !== "subjects_not_below_itself") throw error;
      throw badRequest("subject_below_itself", { id: change.parent_subject_id });
    });
  },
};
