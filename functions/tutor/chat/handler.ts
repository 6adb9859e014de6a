import { streamingHandler } from "../../../lib/http/lambda/handlers.ts";
import { cloudDeps } from "../../../lib/identity/credentials/cloud-deps.ts";
import { chat } from "./app.ts";

export const handler = await streamingHandler(chat, cloudDeps);
