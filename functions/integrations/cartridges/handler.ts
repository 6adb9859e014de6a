import { fileStoreDeps } from "../../../lib/files/file-store-deps.ts";
import { streamingHandler } from "../../../lib/http/lambda/handlers.ts";
import { cartridges } from "./app.ts";

/** Streams, since a course's cartridge may exceed the size limit. */
export const handler = await streamingHandler(cartridges, fileStoreDeps);
