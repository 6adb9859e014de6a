import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { offerings } from "./app.ts";

export const handler = await bufferedHandler(offerings);
