import { badRequest } from "../../errors.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";

/** Throws the 400 for a group that opens an exam early, otherwise the error. */
export function rethrowEarlyExamError(error: unknown): never {
  throw constraintViolationIn(error)?.constraint === "group_opens_exam_early"
    ? badRequest("group_opens_exam_early")
    : error;
}
