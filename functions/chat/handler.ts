import { streamingHandler } from "../../lib/http/lambda.ts";
import { chooseProvider } from "../../lib/llm/choose.ts";
import { chat } from "./app.ts";

export const handler = streamingHandler(chat, (config) => ({ llm: chooseProvider(config) }));
