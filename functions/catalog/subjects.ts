import { anyone, may } from "../../lib/auth/guards.ts";
import { subjectVerbs } from "../../lib/catalog/subjects.ts";
import { Subject, SubjectCreate, SubjectQuery, SubjectUpdate } from "../../schema/api/subjects.ts";
import { resource } from "./resource.ts";

export const subjects = resource({
  path: "/subjects",
  id: "subject_id",
  one: "a subject",
  many: "subjects",
  readers: anyone,
  writers: may("reference-data:write"),
  shape: Subject,
  create: SubjectCreate,
  update: SubjectUpdate,
  query: SubjectQuery,
  verbs: subjectVerbs,
});
