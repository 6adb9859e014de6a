import { dataJsonField } from "../../schema/api/data-json.ts";
import { ValidationError } from "../errors.ts";
import { faultsOf } from "../faults.ts";

/** Throws a 422 that names the keys of `data_json` which are not what the content type wants. */
export function checkDataJson(contentTypeName: string, dataJson: Record<string, unknown>): void {
  const input = { data_json: dataJson };
  const result = dataJsonField(contentTypeName).safeParse(input);
  if (!result.success) throw new ValidationError(faultsOf("body", input, result.error.issues));
}
