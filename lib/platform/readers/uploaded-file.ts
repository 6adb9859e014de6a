import type { Readable } from "node:stream";

/** An uploaded file, opened when it is read. */
export type UploadedFile = { name: string; size: number; open(): Promise<Readable> };

/** The file must have been uploaded for the same target. */
export type ImportTarget =
  | { university_id: number }
  | { course_id: number }
  | { offering_id: number }
  | { question_pool_id: number };

/** 400 without such a file. */
export type FindUploadedFile = (id: number, scope: ImportTarget) => Promise<UploadedFile>;
