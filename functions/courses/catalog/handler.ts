import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { catalog } from "./app.ts";

export const handler = await bufferedHandler(catalog);
