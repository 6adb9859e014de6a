import { allOf, dataOf, type Schemas } from "learning-platform-client";
import styles from "../../styles/later/subjects.css";
import { adoptStyles } from "../adopt-styles.ts";
import { type SubjectBranch, subjectOptions, subjectTree } from "../catalog/subject-tree.ts";
import { EmptyMessage } from "../components/empty.tsx";
import { Field } from "../components/field.tsx";
import { readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { SelectByIdField, toNameOption } from "../components/id-field.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { currentLanguage, t } from "../texts.ts";
import { EditOrDeleteForm } from "./edit-form.tsx";
import { PlatformReferenceListLayout } from "./platform-reference-list-layout.tsx";

adoptStyles(styles);

type Subject = Schemas["Subject"];
type Read = { subjects: Subject[]; domains: Schemas["Domain"][] };

export function SubjectsScreen() {
  const read = useQuery(async (signal): Promise<Read> => {
    const query = { limit: 1000 };
    const [subjects, domains] = await Promise.all([
      allOf(apiClient.listSubjects, { params: { query }, signal }),
      allOf(apiClient.listDomains, { params: { query }, signal }),
    ]);
    return { subjects, domains };
  }, []);
  const create = async (fields: FormData) => {
    await dataOf(apiClient.createSubject({ body: subjectOf(fields) }));
    read.again();
  };
  return (
    <PlatformReferenceListLayout part="subjects" title={t("subjects.title")} about={t("subjects.about")}>
      <QueryBoundary of={read}>
        {(found) => {
          const tree = subjectTree(found.subjects, currentLanguage());
          return (
            <>
              {tree.length === 0 && <EmptyMessage>{t("subjects.empty")}</EmptyMessage>}
              <Branches tree={tree} whole={tree} domains={found.domains} onChange={read.again} />
              <NewEntryCard
                id="new-subject"
                title={t("subjects.new")}
                submit={t("subjects.create")}
                send={create}
              >
                <SubjectFields tree={tree} domains={found.domains} />
              </NewEntryCard>
            </>
          );
        }}
      </QueryBoundary>
    </PlatformReferenceListLayout>
  );
}

const subjectOf = (fields: FormData): Schemas["SubjectCreate"] => ({
  name: readTextField(fields, "name"),
  code: readTextField(fields, "code"),
  description: readTextFieldOrNull(fields, "description"),
  parent_subject_id: readNumberFieldOrNull(fields, "parent_subject_id"),
  domain_id: readNumberFieldOrNull(fields, "domain_id"),
});

type BranchesProps = {
  tree: SubjectBranch<Subject>[];
  /** The whole tree, as targets for a move. */
  whole: SubjectBranch<Subject>[];
  domains: Read["domains"];
  onChange: () => void;
};

function Branches({ tree, ...rest }: BranchesProps) {
  if (tree.length === 0) return null;
  return (
    <ul class="stack subject-tree">
      {tree.map(({ subject, below }) => (
        <li key={subject.id}>
          <div class="card">
            <SubjectView subject={subject} {...rest} />
          </div>
          <Branches tree={below} {...rest} />
        </li>
      ))}
    </ul>
  );
}

type ViewProps = Omit<BranchesProps, "tree"> & { subject: Subject };

function SubjectView({ subject, whole, domains, onChange }: ViewProps) {
  const params = { path: { subject_id: subject.id } };
  return (
    <>
      <div class="line-head">
        <strong>{subject.name}</strong>
        <span class="quiet">{subject.code}</span>
      </div>
      {subject.description && <p class="quiet">{subject.description}</p>}
      <EditOrDeleteForm
        of={subject.name}
        save={(fields) => dataOf(apiClient.updateSubject({ params, body: subjectOf(fields) }))}
        remove={() => dataOf(apiClient.deleteSubject({ params }))}
        sure={t("subjects.delete.sure", { name: subject.name })}
        onChange={onChange}
      >
        <SubjectFields subject={subject} tree={whole} domains={domains} />
      </EditOrDeleteForm>
    </>
  );
}

type FieldsProps = { subject?: Subject; tree: SubjectBranch<Subject>[]; domains: Read["domains"] };

function SubjectFields({ subject, tree, domains }: FieldsProps) {
  return (
    <>
      <div class="fields">
        <Field name="name" label={t("name")}>
          <input maxLength={255} defaultValue={subject?.name} required />
        </Field>
        <Field name="code" label={t("reference.code")}>
          <input maxLength={128} defaultValue={subject?.code} required />
        </Field>
        <SelectByIdField
          name="parent_subject_id"
          label={t("subjects.below")}
          of={subjectOptions(tree).filter(([id]) => id !== subject?.id)}
          chosen={subject?.parent_subject_id}
          none={t("subjects.top")}
        />
        {domains.length > 0 && (
          <SelectByIdField
            name="domain_id"
            label={t("subject.domain")}
            of={domains.map(toNameOption)}
            chosen={subject?.domain_id}
          />
        )}
      </div>
      <Field name="description" label={t("description")}>
        <textarea rows={2} maxLength={20_000} defaultValue={subject?.description ?? ""} />
      </Field>
    </>
  );
}
