import { bufferedHandler } from "../../lib/http/lambda.ts";
import { prompts } from "./app.ts";

export const handler = await bufferedHandler(prompts);
