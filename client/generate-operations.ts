import { readFile } from "node:fs/promises";

const documentFile = new URL("../docs/reference/openapi.json", import.meta.url);

type ApiDocument = { paths: Record<string, Record<string, { operationId: string }>> };

/** The text of operations.ts: method and path of each operation, by id. */
export async function writeOperations(): Promise<string> {
  const { paths }: ApiDocument = JSON.parse(await readFile(documentFile, "utf8"));
  const lines = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `  ${operationId}: { method: "${method}", path: "${path}" },\n`,
    ),
  );
  return `/** Written by \`npm run generate client\`: where each operation is. */\nexport const operations = {\n${lines.sort().join("")}} as const;\n`;
}
