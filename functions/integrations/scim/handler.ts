import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { scim } from "./app.ts";

export const handler = await bufferedHandler(scim);
