import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { enrollments } from "./app.ts";

export const handler = await bufferedHandler(enrollments);
