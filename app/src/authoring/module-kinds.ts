import type { Schemas } from "learning-platform-client";

export const moduleKinds: Schemas["CourseModule"]["module_type"][] = [
  "UNIT",
  "CHAPTER",
  "LESSON",
  "TOPIC",
  "SECTION",
  "LAB",
  "QUIZ",
  "OTHER",
  "COURSE_ROOT",
];
