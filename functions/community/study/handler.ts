import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { study } from "./app.ts";

export const handler = await bufferedHandler(study);
