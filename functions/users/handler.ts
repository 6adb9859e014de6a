import { streamingHandler } from "../../lib/http/lambda.ts";
import { users } from "./app.ts";

export const handler = streamingHandler(users);
