import { bufferedHandler } from "../../lib/http/lambda.ts";
import { progress } from "./app.ts";

export const handler = await bufferedHandler(progress);
