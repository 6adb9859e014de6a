import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { createEnrollment, getEnrollment, listMyEnrollments, updateEnrollment } from "./enrollments.ts";

export const enrollments = createEndpointGroup("Enrollments", "/enrollments", [
  listMyEnrollments,
  createEnrollment,
  getEnrollment,
  updateEnrollment,
]);
