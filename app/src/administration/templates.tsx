import { dataOf, type Schemas } from "learning-platform-client";
import { moduleKinds } from "../authoring/module-kinds.ts";
import { CheckboxField, Field, SelectField } from "../components/field.tsx";
import {
  isCheckboxFieldChecked,
  readSelectField,
  readTextField,
  readTextFieldOrNull,
} from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { apiClient } from "../service.ts";
import { isPlatformAdmin, useCurrentUser } from "../session.tsx";
import { t, withTranslatedLabels } from "../texts.ts";
import { EditOrDeleteForm } from "./edit-form.tsx";
import { PlatformReferenceListLayout } from "./platform-reference-list-layout.tsx";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

type Template = Schemas["ModuleTemplate"];

export const PlatformModuleTemplatesScreen = () => (
  <PlatformReferenceListLayout part="templates" title={t("templates")} about={t("templates.about")}>
    <Templates university={null} />
  </PlatformReferenceListLayout>
);

export const UniversityModuleTemplatesScreen = ({ university }: { university: string }) => (
  <UniversityAdministrationLayout university={university} part="templates" title={t("templates")}>
    <p class="quiet">{t("templates.about.university")}</p>
    <Templates university={Number(university)} />
  </UniversityAdministrationLayout>
);

function Templates({ university }: { university: number | null }) {
  const isOfPlatform = isPlatformAdmin(useCurrentUser());
  const templates = usePagedQuery(
    async (part, signal) => {
      const query = {
        ...part,
        ...(university === null ? { is_shared: true } : { university_id: university }),
      };
      return dataOf(apiClient.listModuleTemplates({ params: { query }, signal }));
    },
    [university],
  );
  const create = async (fields: FormData) => {
    await dataOf(
      apiClient.createModuleTemplate({ body: { university_id: university, ...templateOf(fields) } }),
    );
    templates.query.again();
  };
  return (
    <>
      <PagedCardList of={templates} empty={t("templates.empty")}>
        {(one) => (
          <TemplateView
            template={one}
            mayChange={one.university_id !== null || isOfPlatform}
            onChange={templates.query.again}
          />
        )}
      </PagedCardList>
      <NewEntryCard id="new-template" title={t("templates.new")} submit={t("templates.create")} send={create}>
        <TemplateFields />
      </NewEntryCard>
    </>
  );
}

/** Keeps the fields that this form does not show. */
const templateOf = (fields: FormData, before?: Template) => ({
  title: readTextField(fields, "title"),
  template_type: readSelectField<Template["template_type"]>(fields, "template_type"),
  description: readTextFieldOrNull(fields, "description"),
  default_data: {
    ...before?.default_data,
    description: readTextFieldOrNull(fields, "module_description"),
    is_published: isCheckboxFieldChecked(fields, "is_published"),
  },
});

const TemplateFields = ({ template }: { template?: Template }) => (
  <>
    <div class="fields">
      <Field name="title" label={t("title")}>
        <input maxLength={255} defaultValue={template?.title} required />
      </Field>
      <SelectField
        name="template_type"
        label={t("templates.kind")}
        of={withTranslatedLabels("module", moduleKinds)}
        chosen={template?.template_type ?? "UNIT"}
      />
    </div>
    <Field name="description" label={t("templates.description")}>
      <textarea rows={2} maxLength={20_000} defaultValue={template?.description ?? ""} />
    </Field>
    <Field name="module_description" label={t("templates.module.description")}>
      <textarea
        rows={2}
        maxLength={10_000}
        defaultValue={String(template?.default_data?.["description"] ?? "")}
      />
    </Field>
    <CheckboxField name="is_published" label={t("templates.module.published")}>
      <input type="checkbox" defaultChecked={template?.default_data?.["is_published"] === true} />
    </CheckboxField>
  </>
);

type ViewProps = { template: Template; mayChange: boolean; onChange: () => void };

function TemplateView({ template, mayChange, onChange }: ViewProps) {
  const params = { path: { module_template_id: template.id } };
  return (
    <>
      <div class="line-head">
        <strong>{template.title}</strong>
        <span class="quiet">{t(`module.${template.template_type}`)}</span>
        {template.university_id === null && <span class="badge waiting">{t("templates.platform")}</span>}
      </div>
      {template.description && <p class="quiet">{template.description}</p>}
      {mayChange && (
        <EditOrDeleteForm
          of={template.title}
          save={(fields) =>
            dataOf(apiClient.updateModuleTemplate({ params, body: templateOf(fields, template) }))
          }
          remove={() => dataOf(apiClient.deleteModuleTemplate({ params }))}
          sure={t("templates.delete.sure", { name: template.title })}
          onChange={onChange}
        >
          <TemplateFields template={template} />
        </EditOrDeleteForm>
      )}
    </>
  );
}
