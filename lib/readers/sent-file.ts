import type { Readable } from "node:stream";

/** A file that someone sent before: how a reader gets at its bytes, which nobody holds as a whole before it reads them. */
export type SentFile = { name: string; size: number; open(): Promise<Readable> };

/** What an import is for, which the file has to be for, too. */
export type ImportScope = { university_id: number } | { offering_id: number } | { question_pool_id: number };

/** Finds a file that the caller sent for such an import; a 400 where there is none. */
export type FindSentFile = (id: number, scope: ImportScope) => Promise<SentFile>;
