import type { Schemas } from "learning-platform-client";

type Subject = Pick<Schemas["Subject"], "id" | "parent_subject_id" | "name">;

export type SubjectBranch<Of extends Subject = Subject> = { subject: Of; below: SubjectBranch<Of>[] };

/** The subject tree, siblings sorted by name. A subject whose parent is missing becomes a root. */
export function subjectTree<Of extends Subject>(
  subjects: readonly Of[],
  language?: string,
): SubjectBranch<Of>[] {
  const { compare } = new Intl.Collator(language);
  const branches = new Map(
    subjects.map((subject) => [subject.id, { subject, below: [] } as SubjectBranch<Of>]),
  );
  const top: SubjectBranch<Of>[] = [];
  for (const branch of branches.values()) {
    const parent = branches.get(branch.subject.parent_subject_id ?? 0);
    (parent?.below ?? top).push(branch);
  }
  const byName = (one: SubjectBranch<Of>, other: SubjectBranch<Of>) =>
    compare(one.subject.name, other.subject.name);
  for (const { below } of branches.values()) below.sort(byName);
  return top.sort(byName);
}

/** The tree as list options, each prefixed with its ancestors' names. */
export const subjectOptions = (branches: readonly SubjectBranch[], above = ""): [number, string][] =>
  branches.flatMap(({ subject: { id, name }, below }) => {
    const words = above ? `${above} › ${name}` : name;
    return [[id, words] as [number, string], ...subjectOptions(below, words)];
  });
