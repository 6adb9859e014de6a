import { and, eq, notInArray, or } from "drizzle-orm";
import { contentItems } from "../../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../../schema/db/courses/content-types.ts";
import { contentTypeNames } from "../../../schema/enums.ts";
import { badRequest } from "../../errors.ts";
import { searchAndSortBy, searchTextWithCodeSql } from "../../platform/db/query/search-and-sort.ts";
import { crudOf } from "./crud.ts";

const crud = crudOf(
  contentTypes,
  "Content type",
  searchAndSortBy(searchTextWithCodeSql(contentTypes.label, contentTypes.name), "label", {
    name: [contentTypes.name],
  }),
);

const isAddedLater = notInArray(contentTypes.name, [...contentTypeNames]);

/**
 * Built-in types cannot be renamed or deleted (400): the service knows by name what they contain and hide. A
 * type with content is in use.
 */
export const contentTypeCrud: typeof crud = {
  ...crud,
  async update(db, id, change) {
    if (change.name === undefined) return crud.update(db, id, change);
    const mayBeNamedSo = or(isAddedLater, eq(contentTypes.name, change.name));
    const [changed] = await db
      .update(contentTypes)
      .set(change)
      .where(and(eq(contentTypes.id, id), mayBeNamedSo))
      .returning();
    if (changed) return changed;
    const { name } = await crud.get(db, id);
    throw badRequest("content_type_name_fixed", { name });
  },
  async remove(db, id) {
    const deleted = await db
      .delete(contentTypes)
      .where(and(eq(contentTypes.id, id), isAddedLater))
      .returning({ id: contentTypes.id });
    if (deleted.length > 0) return;
    const { name } = await crud.get(db, id);
    const items = await db.$count(contentItems, eq(contentItems.content_type_id, id));
    throw items > 0
      ? badRequest("still_in_use", { thing: "Content type" })
      : badRequest("content_type_stays", { name });
  },
};
