import { cloudParts } from "../../lib/credentials/cloud-parts.ts";
import { streamingHandler } from "../../lib/http/lambda/handlers.ts";
import { chat } from "./app.ts";

export const handler = await streamingHandler(chat, cloudParts);
