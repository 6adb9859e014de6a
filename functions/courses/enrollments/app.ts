import { group } from "../../../lib/http/endpoint.ts";
import { createEnrollment, getEnrollment, listMyEnrollments, updateEnrollment } from "./enrollments.ts";

export const enrollments = group("Enrollments", "/enrollments", [
  listMyEnrollments,
  createEnrollment,
  getEnrollment,
  updateEnrollment,
]);
