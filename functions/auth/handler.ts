import { bufferedHandler } from "../../lib/http/lambda.ts";
import { auth } from "./app.ts";

export const handler = await bufferedHandler(auth);
