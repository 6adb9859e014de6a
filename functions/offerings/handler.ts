import { bufferedHandler } from "../../lib/http/lambda.ts";
import { offerings } from "./app.ts";

export const handler = await bufferedHandler(offerings);
