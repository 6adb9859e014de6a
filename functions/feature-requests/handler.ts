import { bufferedHandler } from "../../lib/http/lambda.ts";
import { featureRequests } from "./app.ts";

export const handler = await bufferedHandler(featureRequests);
