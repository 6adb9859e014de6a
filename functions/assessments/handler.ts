import { bufferedHandler } from "../../lib/http/lambda.ts";
import { assessments } from "./app.ts";

export const handler = await bufferedHandler(assessments);
