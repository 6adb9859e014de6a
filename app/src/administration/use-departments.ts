import { allOf, type Schemas } from "learning-platform-client";
import { type QueryHookResult, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";

export type DepartmentsQuery = QueryHookResult<Schemas["Department"][]>;

export function useDepartments(university: number): DepartmentsQuery {
  const params = { path: { university_id: university }, query: { limit: 1000 } };
  return useQuery((signal) => allOf(apiClient.listUniversityDepartments, { params, signal }), [university]);
}
