import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { community } from "./app.ts";

export const handler = await bufferedHandler(community);
