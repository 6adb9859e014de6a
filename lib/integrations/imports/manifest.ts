import { parseCsvTables, valueIn } from "./table.ts";

export const manifestFileName = "manifest.csv";

const columns = { required: ["propertyName", "value"], optional: [] };

export function findManifestEncoding(manifest: string): string | undefined {
  const lines = parseCsvTables({ [manifestFileName]: manifest }).linesOf(manifestFileName, columns);
  const stated = lines.find((line) => isEncoding.test(valueIn(line, "propertyName") ?? ""));
  return (stated && valueIn(stated, "value")?.trim()) || undefined;
}

const isEncoding = /(^|\.)(encoding|charset)\s*$/i;
