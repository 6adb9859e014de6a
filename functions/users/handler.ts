import { buffered } from "../../lib/http/lambda.ts";
import { users } from "./app.ts";

export const handler = buffered(users);
