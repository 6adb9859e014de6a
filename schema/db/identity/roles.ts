import { boolean, foreignKey, index, integer, pgTable, unique } from "drizzle-orm/pg-core";
import { type Role, roles } from "../../enums.ts";
import { id, instant, now, oneOf, reference, upperEnum } from "../platform/columns.ts";
import { departments } from "./departments.ts";
import { universities } from "./universities.ts";
import { universityMembers } from "./university-members.ts";
import { users } from "./users.ts";

/** A person's role in a university or one of its departments, unique for each. */
export const userUniversityRoles = pgTable(
  "user_university_roles",
  {
    id: id(),
    user_id: reference(() => users.id, "cascade").notNull(),
    university_id: reference(() => universities.id, "cascade").notNull(),
    role: upperEnum<Role>().notNull(),
    department_id: integer(),
    created_at: instant().notNull().default(now),
    /** Whether the university's directory granted it, and may revoke it. */
    by_directory: boolean().notNull().default(false),
  },
  (table) => [
    unique("user_university_roles_held_once")
      .on(table.user_id, table.university_id, table.role, table.department_id)
      .nullsNotDistinct(),
    foreignKey({
      name: "user_university_roles_department_id_departments_id_fk",
      columns: [table.department_id, table.university_id],
      foreignColumns: [departments.id, departments.university_id],
    }).onDelete("cascade"),
    // Holders are members; the planner uses this to start name-ordered pages from members.
    foreignKey({
      name: "user_university_roles_member_fk",
      columns: [table.university_id, table.user_id],
      foreignColumns: [universityMembers.university_id, universityMembers.user_id],
    }).onDelete("cascade"),
    index().on(table.university_id, table.id),
    index().on(table.university_id, table.user_id),
    index().on(table.role, table.university_id, table.user_id),
    index().on(table.department_id),
    oneOf(table.role, roles),
  ],
);
