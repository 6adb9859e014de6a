import { streamed } from "../../lib/http/lambda.ts";
import { chooseProvider } from "../../lib/llm/choose.ts";
import { chat } from "./app.ts";

export const handler = streamed(chat, (config) => ({ llm: chooseProvider(config) }));
