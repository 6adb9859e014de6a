import { cloudParts } from "../../lib/credentials/cloud-parts.ts";
import { bufferedHandler } from "../../lib/http/lambda/handlers.ts";
import { admin } from "./app.ts";

export const handler = await bufferedHandler(admin, cloudParts);
