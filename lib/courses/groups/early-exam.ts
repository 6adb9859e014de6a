import { badRequest } from "../../errors.ts";
import { refusalIn } from "../../platform/db/query/violations.ts";

export function throwEarlyExam(error: unknown): never {
  throw refusalIn(error)?.constraint === "group_opens_exam_early"
    ? badRequest("group_opens_exam_early")
    : error;
}
