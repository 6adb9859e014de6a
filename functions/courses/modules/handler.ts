import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { modules } from "./app.ts";

export const handler = await bufferedHandler(modules);
