import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { featureRequests } from "./app.ts";

export const handler = await bufferedHandler(featureRequests);
