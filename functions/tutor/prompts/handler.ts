import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { prompts } from "./app.ts";

export const handler = await bufferedHandler(prompts);
