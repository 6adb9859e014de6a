import { group } from "../../lib/http/endpoint.ts";
import { create, list, read, update } from "./courses.ts";

export const courses = group("Courses", "/courses", [list, create, read, update]);
