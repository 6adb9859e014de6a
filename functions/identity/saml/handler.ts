import { bufferedHandler } from "../../../lib/http/lambda/handlers.ts";
import { saml } from "./app.ts";

export const handler = await bufferedHandler(saml);
