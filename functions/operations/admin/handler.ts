import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { cloudDeps } from "../../../lib/identity/credentials/cloud-deps.ts";
import { admin } from "./app.ts";

export const handler = await bufferedHandler(admin, cloudDeps);
