import { bufferedHandler } from "../../lib/http/lambda.ts";
import { enrollments } from "./app.ts";

export const handler = await bufferedHandler(enrollments);
