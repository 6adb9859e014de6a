import { bufferedHandler } from "../../lib/http/lambda.ts";
import { operations } from "./app.ts";

export const handler = await bufferedHandler(operations);
