import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { operations } from "./app.ts";

export const handler = await bufferedHandler(operations);
