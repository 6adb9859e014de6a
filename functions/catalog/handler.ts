import { bufferedHandler } from "../../lib/http/lambda.ts";
import { catalog } from "./app.ts";

export const handler = await bufferedHandler(catalog);
