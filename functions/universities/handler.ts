import { bufferedHandler } from "../../lib/http/lambda.ts";
import { universities } from "./app.ts";

export const handler = await bufferedHandler(universities);
