import { fileStoreDeps } from "../../../lib/files/file-store-deps.ts";
import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { content } from "./app.ts";

export const handler = await bufferedHandler(content, fileStoreDeps);
