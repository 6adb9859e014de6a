import { fileStoreDeps } from "../../../lib/files/file-store-deps.ts";
import { streamingHandler } from "../../../lib/http/lambda/handlers.ts";
import { scorm } from "./app.ts";

/** Streams, since a file of a package may exceed the size limit. */
export const handler = await streamingHandler(scorm, fileStoreDeps);
