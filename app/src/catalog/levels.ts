import type { Schemas } from "learning-platform-client";

export type Level = Schemas["Course"]["level"];

/** By difficulty, then the levels outside that order. */
export const levels: Level[] = [
  "INTRODUCTORY",
  "INTERMEDIATE",
  "ADVANCED",
  "UNDERGRADUATE",
  "GRADUATE",
  "POSTGRADUATE",
  "CERTIFICATE",
  "OTHER",
];
