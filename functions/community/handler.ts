import { bufferedHandler } from "../../lib/http/lambda.ts";
import { community } from "./app.ts";

export const handler = await bufferedHandler(community);
