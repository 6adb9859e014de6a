import { group } from "../../lib/http/endpoint.ts";
import { readMe, readOverview, updateMe } from "./me.ts";
import { list, read } from "./users.ts";

export const users = group("Users", "/users", [readMe, readOverview, updateMe, list, read]);
