import { group } from "../../lib/http/endpoint.ts";
import { readMe, updateMe } from "./me.ts";

export const users = group("Users", "/users", [readMe, updateMe]);
