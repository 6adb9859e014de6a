import { bufferedHandler } from "../../lib/http/lambda.ts";
import { users } from "./app.ts";

export const handler = bufferedHandler(users);
