import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { cloudDeps } from "../../../lib/identity/credentials/cloud-parts.ts";
import { admin } from "./app.ts";

export const handler = await bufferedHandler(admin, cloudDeps);
