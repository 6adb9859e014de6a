import { group } from "../../lib/http/endpoint.ts";
import { create, list, putSubjects, read, remove, stats, update } from "./courses.ts";
import * as instructors from "./instructors.ts";
import * as offerings from "./offerings.ts";
import * as prerequisites from "./prerequisites.ts";

export const courses = group("Courses", "/courses", [
  list,
  create,
  read,
  update,
  remove,
  stats,
  putSubjects,
  prerequisites.list,
  prerequisites.add,
  prerequisites.remove,
  offerings.list,
  offerings.create,
  offerings.read,
  offerings.update,
  offerings.remove,
  offerings.roster,
  instructors.list,
  instructors.add,
  instructors.remove,
]);
