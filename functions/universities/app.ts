import { group } from "../../lib/http/endpoint.ts";
import * as departments from "./departments.ts";
import * as roles from "./roles.ts";
import { create, list, read, remove, update } from "./universities.ts";

export const universities = group("Universities", "/universities", [
  list,
  create,
  read,
  update,
  remove,
  departments.list,
  departments.create,
  departments.read,
  departments.update,
  departments.remove,
  roles.list,
  roles.grant,
  roles.revoke,
]);
