import { readFile } from "node:fs/promises";
import openapiTypescript, { astToString, COMMENT_HEADER } from "openapi-typescript";

const documentFile = new URL("../docs/openapi.json", import.meta.url);

/** The text of api.ts: the types of every operation of the API document. */
export async function writeTypes(): Promise<string> {
  const document = JSON.parse(await readFile(documentFile, "utf8"));
  return COMMENT_HEADER + astToString(await openapiTypescript(document, { alphabetize: true, silent: true }));
}
