import { bufferedHandler } from "../../lib/http/lambda.ts";
import { modules } from "./app.ts";

export const handler = await bufferedHandler(modules);
