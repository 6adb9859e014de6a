import { isDeepStrictEqual } from "node:util";
import { dataJsonField } from "../../schema/api/data-json.ts";
import { invalidField, ValidationError } from "../errors.ts";
import { issuesOf } from "../validation/issues.ts";
import { withoutStaffKeys } from "./staff-keys.ts";
import { studentView } from "./student-view.ts";

/** Throws a 422 that names the keys of `data_json` which are not what the content type wants. */
export function checkDataJson(contentTypeName: string, dataJson: Record<string, unknown>): void {
  const input = { data_json: dataJson };
  const result = dataJsonField(contentTypeName).safeParse(input);
  if (!result.success) throw new ValidationError(issuesOf("body", input, result.error.issues));
}

/** Whether an item of that type holds what is for staff alone, or what its type does not know. */
export const holdsKeys = (contentTypeName: string, dataJson: Record<string, unknown>): boolean =>
  !isDeepStrictEqual(studentView(contentTypeName, dataJson), dataJson);

/**
 * Throws a 422 where an item that becomes of another type keeps what its former type keeps for staff, as a lab's hidden
 * tests, which nothing would mark any more: with its next type it might be shown. What a type only does not know is no
 * secret of its.
 */
export function checkStaysHidden(
  type: { former: string; next: string },
  dataJson: Record<string, unknown>,
): void {
  const unmarked = withoutStaffKeys(type.next, dataJson);
  if (isDeepStrictEqual(withoutStaffKeys(type.former, unmarked), unmarked)) return;
  throw invalidField(
    ["data_json"],
    `Value error, holds what is for staff alone in content of type ${type.former}`,
  );
}
