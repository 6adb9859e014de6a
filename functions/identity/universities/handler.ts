import { fileStoreDeps } from "../../../lib/files/file-parts.ts";
import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { universities } from "./app.ts";

export const handler = await bufferedHandler(universities, fileStoreDeps);
