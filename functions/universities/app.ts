import { group } from "../../lib/http/endpoint.ts";
import {
  createUniversityDepartment,
  deleteUniversityDepartment,
  getUniversityDepartment,
  listUniversityDepartments,
  updateUniversityDepartment,
} from "./departments.ts";
import { grantUniversityRole, listUniversityRoles, revokeUniversityRole } from "./roles.ts";
import {
  createUniversity,
  deleteUniversity,
  getUniversity,
  listUniversities,
  updateUniversity,
} from "./universities.ts";

export const universities = group("Universities", "/universities", [
  listUniversities,
  createUniversity,
  getUniversity,
  updateUniversity,
  deleteUniversity,
  listUniversityDepartments,
  createUniversityDepartment,
  getUniversityDepartment,
  updateUniversityDepartment,
  deleteUniversityDepartment,
  listUniversityRoles,
  grantUniversityRole,
  revokeUniversityRole,
]);
