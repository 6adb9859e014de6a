import { subjectCrud } from "../../../lib/courses/catalog/subjects.ts";
import { anyone, permittedTo } from "../../../lib/identity/auth/guards.ts";
import { Subject, SubjectCreate, SubjectQuery, SubjectUpdate } from "../../../schema/api/courses/subjects.ts";
import { createCrudEndpoints } from "./resource.ts";

export const { listSubjects, createSubject, getSubject, updateSubject, deleteSubject } = createCrudEndpoints(
  { one: "Subject", many: "Subjects" },
  {
    path: "/subjects",
    id: "subject_id",
    readers: anyone,
    writers: permittedTo("reference-data:write"),
    shape: Subject,
    create: SubjectCreate,
    update: SubjectUpdate,
    query: SubjectQuery,
    constraints: { written: ["already_taken", "does_not_exist"], deleted: ["still_in_use"] },
    crud: () => subjectCrud,
  },
);
