import { buffered } from "../../lib/http/lambda.ts";
import { content } from "./app.ts";

export const handler = buffered(content);
