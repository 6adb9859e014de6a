import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { progress } from "./app.ts";

export const handler = await bufferedHandler(progress);
