import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { webApp } from "./app.ts";

export const handler = await bufferedHandler(webApp);
