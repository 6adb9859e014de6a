import { dataOf, type Schemas } from "learning-platform-client";
import { Field } from "../components/field.tsx";
import { readTextField, readTextFieldOrNull } from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { EditOrDeleteForm } from "./edit-form.tsx";
import { PlatformReferenceListLayout } from "./platform-reference-list-layout.tsx";

type ContentType = Schemas["ContentType"];

export function ContentTypesScreen() {
  const types = usePagedQuery(
    (query, signal) => dataOf(apiClient.listContentTypes({ params: { query }, signal })),
    [],
  );
  const create = async (fields: FormData) => {
    await dataOf(apiClient.createContentType({ body: typeOf(fields) }));
    types.query.again();
  };
  return (
    <PlatformReferenceListLayout
      part="content-types"
      title={t("content.types")}
      about={t("content.types.about")}
    >
      <PagedCardList of={types} empty={t("content.types.empty")}>
        {(type) => <TypeView type={type} onChange={types.query.again} />}
      </PagedCardList>
      <NewEntryCard
        id="new-content-type"
        title={t("content.types.new")}
        submit={t("content.types.create")}
        send={create}
      >
        <TypeFields />
      </NewEntryCard>
    </PlatformReferenceListLayout>
  );
}

const typeOf = (fields: FormData): Schemas["ContentTypeCreate"] => ({
  name: readTextField(fields, "name"),
  label: readTextField(fields, "label"),
  description: readTextFieldOrNull(fields, "description"),
});

const TypeFields = ({ type }: { type?: ContentType }) => (
  <>
    <div class="fields">
      <Field name="label" label={t("content.types.label")}>
        <input maxLength={255} defaultValue={type?.label} required />
      </Field>
      <Field name="name" label={t("content.types.name")} about={t("content.types.name.about")}>
        <input maxLength={64} defaultValue={type?.name} required />
      </Field>
    </div>
    <Field name="description" label={t("description")}>
      <textarea rows={2} maxLength={20_000} defaultValue={type?.description ?? ""} />
    </Field>
  </>
);

function TypeView({ type, onChange }: { type: ContentType; onChange: () => void }) {
  const params = { path: { content_type_id: type.id } };
  return (
    <>
      <div class="line-head">
        <strong>{type.label}</strong>
        <span class="quiet">{type.name}</span>
        {type.takes_result && <span class="badge waiting">{t("content.types.graded")}</span>}
      </div>
      {type.description && <p class="quiet">{type.description}</p>}
      <EditOrDeleteForm
        of={type.label}
        save={(fields) => dataOf(apiClient.updateContentType({ params, body: typeOf(fields) }))}
        remove={() => dataOf(apiClient.deleteContentType({ params }))}
        sure={t("content.types.delete.sure", { name: type.label })}
        onChange={onChange}
      >
        <TypeFields type={type} />
      </EditOrDeleteForm>
    </>
  );
}
