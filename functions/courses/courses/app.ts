import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { copyCourse, copyCourseOffering } from "./copies.ts";
import {
  createCourse,
  deleteCourse,
  getCourse,
  getCourseStats,
  listCourses,
  updateCourse,
  updateCourseSubjects,
} from "./courses.ts";
import { listCourseOfferingDates, moveCourseOfferingDates, setCourseOfferingDates } from "./dates.ts";
import { grantCourseExemption, listCourseExemptions, revokeCourseExemption } from "./exemptions.ts";
import {
  addCourseOfferingInstructor,
  listCourseOfferingInstructors,
  removeCourseOfferingInstructor,
} from "./instructors.ts";
import { listLtiContexts, unbindLtiContext } from "./lti-contexts.ts";
import { chooseLtiToolContent, listCourseLtiTools } from "./lti-tools.ts";
import {
  createCourseOffering,
  deleteCourseOffering,
  getCourseOffering,
  listCourseOfferingEnrollments,
  listCourseOfferings,
  updateCourseOffering,
} from "./offerings.ts";
import { getCourseOfferingOutline } from "./outline.ts";
import { addCoursePrerequisite, listCoursePrerequisites, removeCoursePrerequisite } from "./prerequisites.ts";
import { getCourseTutorNotes, setCourseTutorNotes } from "./tutor-notes.ts";
import { getCourseOfferingWeek } from "./week.ts";

export const courses = createEndpointGroup("Courses", "/courses", [
  listCourses,
  createCourse,
  getCourse,
  updateCourse,
  deleteCourse,
  copyCourse,
  getCourseStats,
  updateCourseSubjects,
  getCourseTutorNotes,
  setCourseTutorNotes,
  listCoursePrerequisites,
  addCoursePrerequisite,
  removeCoursePrerequisite,
  listCourseExemptions,
  grantCourseExemption,
  revokeCourseExemption,
  listCourseOfferings,
  createCourseOffering,
  getCourseOffering,
  updateCourseOffering,
  deleteCourseOffering,
  copyCourseOffering,
  listCourseOfferingEnrollments,
  getCourseOfferingOutline,
  getCourseOfferingWeek,
  listCourseOfferingDates,
  setCourseOfferingDates,
  moveCourseOfferingDates,
  listCourseOfferingInstructors,
  addCourseOfferingInstructor,
  removeCourseOfferingInstructor,
  listLtiContexts,
  unbindLtiContext,
  listCourseLtiTools,
  chooseLtiToolContent,
]);
