import { bufferedHandler } from "../../lib/http/lambda.ts";
import { dashboard } from "./app.ts";

export const handler = bufferedHandler(dashboard);
