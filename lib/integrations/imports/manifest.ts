import { tablesIn, valueIn } from "./table.ts";

/** OneRoster's list of properties of an export. */
export const manifestName = "manifest.csv";

const columns = { required: ["propertyName", "value"], optional: [] };

/** The encoding that a property such as `file.encoding` states, if any. */
export function encodingIn(manifest: string): string | undefined {
  const lines = tablesIn({ [manifestName]: manifest }).linesOf(manifestName, columns);
  const stated = lines.find((line) => isEncoding.test(valueIn(line, "propertyName") ?? ""));
  return (stated && valueIn(stated, "value")?.trim()) || undefined;
}

const isEncoding = /(^|\.)(encoding|charset)\s*$/i;
