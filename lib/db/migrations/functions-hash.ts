import { createHash } from "node:crypto";
import { readFunctionTexts } from "./function-texts.ts";
import { ownSchema, type Schema } from "./schema.ts";

/** One hash for all texts of functions of a schema: a database that has applied them has recorded it. */
export function functionsHashOf(schema: Schema): string {
  const hash = createHash("sha256");
  for (const { text } of readFunctionTexts(schema)) hash.update(`${text}\0`);
  return hash.digest("hex").slice(0, 32);
}

/** Those of this version. The packer puts the value into a bundle, which has no files to read (esbuild-plugins.mjs). */
export const ownFunctions: { hash: string; version: string } = {
  hash: functionsHashOf(ownSchema),
  version: ownSchema.version,
};
