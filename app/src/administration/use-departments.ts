import { allOf, type Schemas } from "learning-platform-client";
import { type Query, useQuery } from "../query.tsx";
import { api } from "../service.ts";

export type Departments = Query<Schemas["Department"][]>;

export function useDepartments(university: number): Departments {
  const params = { path: { university_id: university }, query: { limit: 1000 } };
  return useQuery((signal) => allOf(api.listUniversityDepartments, { params, signal }), [university]);
}
