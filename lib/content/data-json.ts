import { isDeepStrictEqual } from "node:util";
import { dataJsonField } from "../../schema/api/data-json.ts";
import { invalidField, ValidationError } from "../errors.ts";
import { issuesOf } from "../validation/issues.ts";
import { studentView } from "./student-view.ts";

/** Throws a 422 that names the keys of `data_json` which are not what the content type wants. */
export function checkDataJson(contentTypeName: string, dataJson: Record<string, unknown>): void {
  const input = { data_json: dataJson };
  const result = dataJsonField(contentTypeName).safeParse(input);
  if (!result.success) throw new ValidationError(issuesOf("body", input, result.error.issues));
}

/** Whether an item of that type holds what is for staff alone. */
export const holdsKeys = (contentTypeName: string, dataJson: Record<string, unknown>): boolean =>
  !isDeepStrictEqual(studentView(contentTypeName, dataJson), dataJson);

/**
 * Throws a 422 where an item that becomes of another type would show learners what its former type keeps for staff:
 * the hidden tests of a lab that is a text from now on.
 */
export function checkStaysHidden(
  type: { former: string; next: string },
  dataJson: Record<string, unknown>,
): void {
  if (!holdsKeys(type.former, studentView(type.next, dataJson))) return;
  throw invalidField(
    ["data_json"],
    `Value error, holds what is for staff alone in content of type ${type.former}`,
  );
}
