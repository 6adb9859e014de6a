import type { Schemas } from "learning-platform-client";

export type Level = Schemas["Course"]["level"];

/** From the first to the last that one takes, then what stands beside them. */
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
