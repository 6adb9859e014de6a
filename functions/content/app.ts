import { group } from "../../lib/http/endpoint.ts";
import { create, list, read, remove, reorder, update } from "./items.ts";

export const content = group("Content", "/content", [list, create, reorder, read, update, remove]);
