import { streamingHandler } from "../../../lib/http/lambda/handlers.ts";
import { users } from "./app.ts";

export const handler = await streamingHandler(users);
