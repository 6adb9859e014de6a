import { fileParts } from "../../lib/files/file-parts.ts";
import { streamingHandler } from "../../lib/http/lambda/handlers.ts";
import { cartridges } from "./app.ts";

/** Streams: a course as a cartridge may be more than can be sent as a whole. */
export const handler = await streamingHandler(cartridges, fileParts);
