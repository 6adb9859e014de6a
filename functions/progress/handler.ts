import { buffered } from "../../lib/http/lambda.ts";
import { progress } from "./app.ts";

export const handler = buffered(progress);
