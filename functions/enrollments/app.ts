import { group } from "../../lib/http/endpoint.ts";
import { create, listMine, read, update } from "./enrollments.ts";

export const enrollments = group("Enrollments", "/enrollments", [listMine, create, read, update]);
