import { bufferedHandler } from "../../lib/http/lambda.ts";
import { webApp } from "./app.ts";

export const handler = await bufferedHandler(webApp);
