import { dataOf, type Schemas } from "learning-platform-client";
import { type Reading, useReading } from "../query.tsx";
import { api } from "../service.ts";

export type Departments = Reading<Schemas["Department"][]>;

/** All departments of a university, to choose from. */
export function useDepartments(university: number): Departments {
  const params = { path: { university_id: university }, query: { limit: 1000 } };
  return useReading((signal) => dataOf(api.listUniversityDepartments({ params, signal })), [university]);
}
