import { streamingHandler } from "../../../lib/http/lambda/handlers.ts";
import { certificates } from "./app.ts";

export const handler = await streamingHandler(certificates);
