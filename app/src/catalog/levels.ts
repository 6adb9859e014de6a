import type { Schemas } from "learning-platform-client";

export type CourseLevel = Schemas["Course"]["level"];

/** By difficulty, then the levels outside that order. */
export const courseLevels: CourseLevel[] = [
  "INTRODUCTORY",
  "INTERMEDIATE",
  "ADVANCED",
  "UNDERGRADUATE",
  "GRADUATE",
  "POSTGRADUATE",
  "CERTIFICATE",
  "OTHER",
];
