import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { docs } from "./app.ts";

export const handler = await bufferedHandler(docs);
