import { parseCsvTables, valueIn } from "./table.ts";

export const manifestName = "manifest.csv";

const columns = { required: ["propertyName", "value"], optional: [] };

export function findManifestEncoding(manifest: string): string | undefined {
  const lines = parseCsvTables({ [manifestName]: manifest }).linesOf(manifestName, columns);
  const stated = lines.find((line) => isEncoding.test(valueIn(line, "propertyName") ?? ""));
  return (stated && valueIn(stated, "value")?.trim()) || undefined;
}

const isEncoding = /(^|\.)(encoding|charset)\s*$/i;
