import { bufferedHandler } from "../../lib/http/lambda.ts";
import { courses } from "./app.ts";

export const handler = await bufferedHandler(courses);
