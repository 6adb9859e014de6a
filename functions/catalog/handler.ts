import { buffered } from "../../lib/http/lambda.ts";
import { catalog } from "./app.ts";

export const handler = buffered(catalog);
