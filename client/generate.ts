/** `npm run client`: writes the types and the places of all operations, from the API document. */
import { writeFile } from "node:fs/promises";
import { commandLine } from "../scripts/command-line.ts";
import { writeOperations } from "./generate-operations.ts";
import { writeTypes } from "./generate-types.ts";

commandLine({
  usage: "npm run client\n\nWrites client/api.ts and client/operations.ts from docs/openapi.json.",
});

await writeFile(new URL("./api.ts", import.meta.url), await writeTypes());
await writeFile(new URL("./operations.ts", import.meta.url), await writeOperations());
