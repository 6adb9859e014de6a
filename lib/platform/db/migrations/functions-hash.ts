import { createHash } from "node:crypto";
import { readFunctionTexts } from "./function-texts.ts";
import { ownSchema, type SchemaSource } from "./schema.ts";

export function hashSchemaFunctions(schema: SchemaSource): string {
  const hash = createHash("sha256");
  for (const { text } of readFunctionTexts(schema)) hash.update(`${text}\0`);
  return hash.digest("hex").slice(0, 32);
}

/** The bundler inlines the value, because a bundle has no files to read (esbuild-plugins.mjs). */
export const ownFunctions: { hash: string; version: string } = {
  hash: hashSchemaFunctions(ownSchema),
  version: ownSchema.version,
};
