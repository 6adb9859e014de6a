import { readFile } from "node:fs/promises";
import openapiTypescript, { astToString, COMMENT_HEADER } from "openapi-typescript";

const documentFile = new URL("../docs/openapi.json", import.meta.url);

/** The text of api.ts: the types of every operation of the API document. */
export async function writeTypes(): Promise<string> {
  const document = JSON.parse(await readFile(documentFile, "utf8"), withoutCsv);
  return COMMENT_HEADER + astToString(await openapiTypescript(document, { alphabetize: true, silent: true }));
}

/** What is JSON unless CSV is asked for has the type of the former: who asks reads it as text, whose type that is. */
const withoutCsv = (_: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !("application/json" in value)) return value;
  const { "text/csv": __, ...others } = value as Record<string, unknown>;
  return others;
};
