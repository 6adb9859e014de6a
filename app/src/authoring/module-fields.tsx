import { allOf, type Schemas } from "learning-platform-client";
import { DateTimeField, readDateTimeField } from "../components/date-time-field.tsx";
import { CheckboxField, Field, SelectField } from "../components/field.tsx";
import {
  isCheckboxFieldChecked,
  readSelectField,
  readTextField,
  readTextFieldOrNull,
} from "../components/form.tsx";
import { SelectByIdField, toTitleOption } from "../components/id-field.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t, withTranslatedLabels } from "../texts.ts";
import { moduleKinds } from "./module-kinds.ts";
import { validParentModules } from "./module-tree.ts";

type Module = Schemas["CourseModule"];

type ModuleFieldsProps = { all: Module[]; module?: Module | undefined };

/** Fields of a module. A new one may use a template. */
export function ModuleFields({ all, module }: ModuleFieldsProps) {
  return (
    <>
      <div class="fields">
        <Field name="title" label={t("title")}>
          <input maxLength={255} defaultValue={module?.title} required />
        </Field>
        <SelectField
          name="module_type"
          label={t("module.kind")}
          of={withTranslatedLabels("module", moduleKinds)}
          chosen={module?.module_type ?? "UNIT"}
        />
        <SelectByIdField
          name="parent_module_id"
          label={t("module.inside")}
          of={validParentModules(all, module?.id).map(toTitleOption)}
          chosen={module?.parent_module_id}
          none={t("module.top")}
        />
      </div>
      <LazyDisclosure label={t("module.more")}>
        {() => <MoreFields all={all} module={module} />}
      </LazyDisclosure>
      <CheckboxField name="is_published" label={t("module.published")}>
        <input type="checkbox" defaultChecked={module?.is_published ?? false} />
      </CheckboxField>
    </>
  );
}

function MoreFields({ all, module }: ModuleFieldsProps) {
  return (
    <div class="form">
      {/* Marks the optional fields as present. Without it they are left unchanged. */}
      <input type="hidden" name="more" value="yes" />
      <Field name="description" label={t("description")}>
        <textarea rows={3} maxLength={20_000} defaultValue={module?.description ?? ""} />
      </Field>
      <div class="fields">
        <DateTimeField name="available_from" label={t("available.from")} value={module?.available_from} />
        <DateTimeField name="due_at" label={t("due.at")} value={module?.due_at} />
      </div>
      <fieldset class="ticks">
        <legend>{t("module.requires")}</legend>
        {all
          .filter(({ id }) => id !== module?.id)
          .map(({ id, title }) => (
            <CheckboxField key={id} name="requires_module_ids" label={title}>
              <input type="checkbox" value={id} defaultChecked={module?.requires_module_ids.includes(id)} />
            </CheckboxField>
          ))}
      </fieldset>
      {!module && <Template />}
    </div>
  );
}

function Template() {
  const templates = useQuery(
    (signal) => allOf(apiClient.listModuleTemplates, { params: { query: { limit: 1000 } }, signal }),
    [],
  );
  return (
    <QueryBoundary of={templates}>
      {(found) => (
        <SelectByIdField
          name="module_template_id"
          label={t("module.template")}
          of={found.map(toTitleOption)}
          chosen={null}
        />
      )}
    </QueryBoundary>
  );
}

export function readModuleFields(fields: FormData, before?: Module) {
  const template = readNumberFieldOrNull(fields, "module_template_id");
  const description = readTextFieldOrNull(fields, "description");
  const is_published = isCheckboxFieldChecked(fields, "is_published");
  return {
    title: readTextField(fields, "title"),
    module_type: readSelectField<Module["module_type"]>(fields, "module_type"),
    parent_module_id: readNumberFieldOrNull(fields, "parent_module_id"),
    // Fields left empty here are filled from the template.
    ...((is_published || template === null) && { is_published }),
    ...(fields.has("more") && {
      ...((description !== null || template === null) && { description }),
      available_from: readDateTimeField(fields, "available_from", before?.available_from),
      due_at: readDateTimeField(fields, "due_at", before?.due_at),
      requires_module_ids: fields.getAll("requires_module_ids").map(Number),
    }),
    ...(template !== null && { module_template_id: template }),
  };
}
