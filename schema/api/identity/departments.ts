import * as z from "zod";
import { Id, Instant, title } from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

const writableFields = {
  name: title(255).meta({ example: "Department of Electrical Engineering" }),
  code: title(64).meta({ description: "Unique within the university", example: "EE" }),
};

export const DepartmentCreate = z.object(writableFields).meta({ id: "DepartmentCreate" });

export const DepartmentUpdate = z.object(writableFields).partial().meta({ id: "DepartmentUpdate" });

export const Department = z
  .object({
    id: Id,
    university_id: Id,
    name: z.string(),
    code: z.string(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Department" });

export const DepartmentQuery = listQuery({
  q: searchIn("the name or the code"),
  sort: sortedBy(["id", "name", "code"]),
});

export type DepartmentCreate = z.output<typeof DepartmentCreate>;
export type DepartmentUpdate = z.output<typeof DepartmentUpdate>;
export type Department = z.input<typeof Department>;
export type DepartmentQuery = z.output<typeof DepartmentQuery>;
