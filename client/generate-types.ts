import { readFile } from "node:fs/promises";
import openapiTypescript, { astToString, COMMENT_HEADER } from "openapi-typescript";

const documentFile = new URL("../docs/reference/openapi.json", import.meta.url);

/** The text of api.ts: the API document as types. */
export async function writeTypes(): Promise<string> {
  const document = JSON.parse(await readFile(documentFile, "utf8"), withoutCsv);
  return COMMENT_HEADER + astToString(await openapiTypescript(document, { alphabetize: true, silent: true }));
}

/** Where JSON and CSV are possible, the type is JSON's. Callers that request CSV read the response as text. */
const withoutCsv = (_: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !("application/json" in value)) return value;
  const { "text/csv": __, ...others } = value as Record<string, unknown>;
  return others;
};
