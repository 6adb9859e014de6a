import { bufferedHandler } from "../../lib/http/lambda.ts";
import { content } from "./app.ts";

export const handler = await bufferedHandler(content);
