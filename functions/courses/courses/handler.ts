import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { courses } from "./app.ts";

export const handler = await bufferedHandler(courses);
