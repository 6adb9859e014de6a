import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { auth } from "./app.ts";

export const handler = await bufferedHandler(auth);
