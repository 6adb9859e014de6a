import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { oneRoster } from "./app.ts";

export const handler = await bufferedHandler(oneRoster);
