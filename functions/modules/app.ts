import { group } from "../../lib/http/endpoint.ts";
import { create, list, listChildren, listRoots, read, remove, reorder, update } from "./modules.ts";

export const modules = group("Modules", "/modules", [
  list,
  listRoots,
  create,
  reorder,
  read,
  listChildren,
  update,
  remove,
]);
