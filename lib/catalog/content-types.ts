import { and, eq, notInArray, or } from "drizzle-orm";
import { contentTypes } from "../../schema/db/content-types.ts";
import { contentTypeNames } from "../../schema/enums.ts";
import { badRequest } from "../errors.ts";
import { verbsOf } from "./verbs.ts";

const verbs = verbsOf(contentTypes, "Content type");

/**
 * In use by the content of that type. The types that every installation starts with keep their names, by which the
 * service knows what their content holds and hides: another name is a 400.
 */
export const contentTypeVerbs: typeof verbs = {
  ...verbs,
  async update(db, id, change) {
    if (change.name === undefined) return verbs.update(db, id, change);
    const mayBeNamedSo = or(
      notInArray(contentTypes.name, [...contentTypeNames]),
      eq(contentTypes.name, change.name),
    );
    const [changed] = await db
      .update(contentTypes)
      .set(change)
      .where(and(eq(contentTypes.id, id), mayBeNamedSo))
      .returning();
    if (changed) return changed;
    const { name } = await verbs.get(db, id);
    throw badRequest(`Content type name '${name}' cannot be changed`);
  },
};
