/** `npm run client`: writes the types and the places of all operations, from the API document. */

import { makeCurrent } from "../scripts/build/generated-file.ts";
import { commandLine } from "../scripts/command-line.ts";
import { writeOperations } from "./generate-operations.ts";
import { writeTypes } from "./generate-types.ts";

commandLine({
  usage: "npm run client\n\nWrites client/api.ts and client/operations.ts from docs/openapi.json.",
});

await makeCurrent("client/api.ts", await writeTypes());
await makeCurrent("client/operations.ts", await writeOperations());
