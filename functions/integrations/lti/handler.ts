import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { lti } from "./app.ts";

export const handler = await bufferedHandler(lti);
