import { bufferedHandler } from "../../lib/http/lambda.ts";
import { docs } from "./app.ts";

export const handler = await bufferedHandler(docs);
