import { isDeepStrictEqual } from "node:util";
import { dataJsonField } from "../../../schema/api/platform/data-json.ts";
import { invalidField, ValidationError } from "../../errors.ts";
import { toFieldIssues } from "../../platform/validation/issues.ts";
import { withoutStaffOnlyFields } from "./staff-keys.ts";
import { dataJsonForStudents } from "./student-view.ts";

/** Throws 422 for keys that do not fit the content type. */
export function ensureValidDataJson(contentTypeName: string, dataJson: Record<string, unknown>): void {
  const input = { data_json: dataJson };
  const result = dataJsonField(contentTypeName).safeParse(input);
  if (!result.success) throw new ValidationError(toFieldIssues("body", input, result.error.issues));
}

/** Includes keys unknown to the type. */
export const hasStaffOnlyData = (contentTypeName: string, dataJson: Record<string, unknown>): boolean =>
  !isDeepStrictEqual(dataJsonForStudents(contentTypeName, dataJson), dataJson);

/**
 * 422 if a change of type would expose data that the old type hides, such as a lab's hidden tests. Keys
 * unknown to a type are not secret.
 */
export function ensureTypeChangeHidesStaffData(
  type: { former: string; next: string },
  dataJson: Record<string, unknown>,
): void {
  const unmarked = withoutStaffOnlyFields(type.next, dataJson);
  if (isDeepStrictEqual(withoutStaffOnlyFields(type.former, unmarked), unmarked)) return;
  throw invalidField(
    ["data_json"],
    `Value error, contains fields that are for staff only in content of type ${type.former}`,
  );
}
