import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { EditOrDeleteForm } from "../administration/edit-form.tsx";
import { UniversityOrPlatformAdministrationLayout } from "../administration/university-layout.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { CheckboxField, Field, SelectField } from "../components/field.tsx";
import {
  Form,
  isCheckboxFieldChecked,
  readSelectField,
  readTextField,
  readTextFieldOrNull,
} from "../components/form.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedCardList } from "../components/paged-card-list.tsx";
import { ToolFrameWithStorage } from "../content/tool-frame.tsx";
import { formatDay } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { nonEmptyLines } from "../work/non-empty-lines.ts";

type Tool = Schemas["LtiTool"];

/** Tools of other vendors that run in the courses of a university, or of all universities. */
export function LtiToolsScreen({ university }: { university?: string }) {
  const path = university === undefined ? undefined : { university_id: Number(university) };
  const tools = usePagedQuery(
    (query, signal) =>
      path
        ? dataOf(apiClient.listLtiTools({ params: { path, query }, signal }))
        : dataOf(apiClient.listPlatformLtiTools({ params: { query }, signal })),
    [university],
  );
  const create = async (fields: FormData) => {
    const body = { ...unset, course_ids: null, ...readToolFields(fields) };
    if (path) await dataOf(apiClient.createLtiTool({ params: { path }, body }));
    else await dataOf(apiClient.createPlatformLtiTool({ body }));
    tools.query.again();
  };
  return (
    <UniversityOrPlatformAdministrationLayout university={university} part="lti-tools" title={t("tools")}>
      <p class="quiet">{t(path ? "tools.about" : "tools.platform.about")}</p>
      <PagedCardList of={tools} empty={t("tools.empty")}>
        {(one) => <ToolCard tool={one} onChange={tools.query.again} />}
      </PagedCardList>
      <ToolRegistration university={path?.university_id} onClose={tools.query.again} />
      <NewEntryCard id="new-tool" title={t("tools.new")} submit={t("tools.create")} send={create}>
        <ToolFields university={path?.university_id ?? null} />
      </NewEntryCard>
    </UniversityOrPlatformAdministrationLayout>
  );
}

/** A tool registers itself in a frame, or in a window if its pages allow no frames. */
function ToolRegistration({ university, onClose }: { university: number | undefined; onClose: () => void }) {
  const [link, setLink] = useState("");
  const invite = async (fields: FormData) => {
    const body = { registration_url: readTextField(fields, "registration_url") };
    const params = university === undefined ? undefined : { path: { university_id: university } };
    const { registration_url } = params
      ? await dataOf(apiClient.openLtiToolRegistration({ params, body }))
      : await dataOf(apiClient.openPlatformLtiToolRegistration({ body }));
    setLink(registration_url);
  };
  const close = () => {
    setLink("");
    onClose();
  };
  return (
    <section class="card" aria-labelledby="register-tool">
      <h2 id="register-tool">{t("tools.register")}</h2>
      <p class="quiet">{t("tools.register.about")}</p>
      <Form send={invite} submit={t("tools.register.open")}>
        <Field name="registration_url" label={t("tools.registration_url")}>
          <input type="url" maxLength={1000} required />
        </Field>
      </Form>
      {link && (
        <>
          <ToolFrameWithStorage address={link} title={t("tools.register")} onClose={close} />
          <p>
            <a href={link} target="_blank" rel="noopener">
              {t("tool.window", { tool: new URL(link).host })}
            </a>
          </p>
          <ButtonWithFocusFallback class="quiet" onClick={close}>
            {t("tool.close")}
          </ButtonWithFocusFallback>
        </>
      )}
    </section>
  );
}

function ToolCard({ tool, onChange }: { tool: Tool; onChange: () => void }) {
  const { id, university_id, name, client_id, deployment_ids, course_ids, created_at } = tool;
  const own = { path: { platform_lti_tool_id: id } };
  const params = university_id === null ? undefined : { path: { university_id, lti_tool_id: id } };
  const save = async (fields: FormData) => {
    const body = readToolFields(fields);
    return params
      ? dataOf(apiClient.updateLtiTool({ params, body }))
      : dataOf(apiClient.updatePlatformLtiTool({ params: own, body }));
  };
  const remove = () =>
    params
      ? dataOf(apiClient.removeLtiTool({ params }))
      : dataOf(apiClient.removePlatformLtiTool({ params: own }));
  return (
    <>
      <div class="line-head">
        <strong>{name}</strong>
        <span class="quiet">{t("lti.since", { when: formatDay(created_at) })}</span>
      </div>
      <p class="quiet">
        {t("tools.ids", { client: client_id, deployment: deployment_ids.join(", ") || "university-…" })}
      </p>
      {course_ids && <p class="quiet">{t("tools.courses", { n: course_ids.length })}</p>}
      <EditOrDeleteForm
        of={name}
        save={save}
        remove={remove}
        sure={t("tools.remove.sure", { name })}
        onChange={onChange}
      >
        <ToolFields university={university_id} tool={tool} />
      </EditOrDeleteForm>
    </>
  );
}

const unset = { jwks_url: null, public_jwks: null, custom_parameters: {} };

const addresses = ["login_url", "launch_url", "jwks_url", "deep_linking_url"] as const;

const ToolFields = ({ university, tool }: { university: number | null; tool?: Tool }) => (
  <>
    <Field name="name" label={t("lti.name")}>
      <input maxLength={255} defaultValue={tool?.name ?? ""} required />
    </Field>
    {addresses.map((name) => (
      <Field key={name} name={name} label={t(`tools.${name}`)}>
        <input
          type="url"
          maxLength={1000}
          defaultValue={tool?.[name] ?? ""}
          required={name !== "deep_linking_url" && !tool?.public_jwks}
        />
      </Field>
    ))}
    <Field name="redirect_uris" label={t("tools.redirect_uris")} about={t("tools.redirect_uris.about")}>
      <textarea rows={2} spellcheck={false} defaultValue={tool?.redirect_uris.join("\n") ?? ""} required />
    </Field>
    <SelectField
      name="target"
      label={t("tools.target")}
      of={[
        ["FRAME", t("tools.target.FRAME")],
        ["WINDOW", t("tools.target.WINDOW")],
      ]}
      chosen={tool?.target ?? "FRAME"}
    />
    {university !== null && <CourseChoice university={university} chosen={tool?.course_ids ?? []} />}
    <CheckboxField name="in_navigation" label={t("tools.in_navigation")}>
      <input type="checkbox" defaultChecked={tool?.in_navigation ?? false} />
    </CheckboxField>
    <CheckboxField name="shares_name" label={t("tools.shares_name")} about={t("tools.shares.about")}>
      <input type="checkbox" defaultChecked={tool?.shares_name ?? false} />
    </CheckboxField>
    <CheckboxField name="shares_email" label={t("tools.shares_email")}>
      <input type="checkbox" defaultChecked={tool?.shares_email ?? false} />
    </CheckboxField>
  </>
);

function CourseChoice({ university, chosen }: { university: number; chosen: readonly number[] }) {
  const query = { university_id: university, limit: 1000 };
  const courses = useQuery(
    (signal) => allOf(apiClient.listCourses, { params: { query }, signal }),
    [university],
  );
  return (
    <QueryBoundary of={courses}>
      {(found) => (
        <>
          {/* Distinguishes an empty choice from one that was not shown yet. */}
          <input type="hidden" name="shows_courses" value="yes" />
          <Field name="course_ids" label={t("tools.course_ids")} about={t("tools.course_ids.about")}>
            <select multiple size={6}>
              {found.map(({ id, title }) => (
                <option key={id} value={id} selected={chosen.includes(id)}>
                  {title}
                </option>
              ))}
            </select>
          </Field>
        </>
      )}
    </QueryBoundary>
  );
}

function readToolFields(fields: FormData) {
  const courses = fields.getAll("course_ids").map(Number);
  const jwks_url = readTextFieldOrNull(fields, "jwks_url");
  return {
    name: readTextField(fields, "name"),
    login_url: readTextField(fields, "login_url"),
    launch_url: readTextField(fields, "launch_url"),
    deep_linking_url: readTextFieldOrNull(fields, "deep_linking_url"),
    redirect_uris: nonEmptyLines(readTextField(fields, "redirect_uris")),
    target: readSelectField<Tool["target"]>(fields, "target"),
    ...(fields.has("shows_courses") && { course_ids: courses.length > 0 ? courses : null }),
    in_navigation: isCheckboxFieldChecked(fields, "in_navigation"),
    shares_name: isCheckboxFieldChecked(fields, "shares_name"),
    shares_email: isCheckboxFieldChecked(fields, "shares_email"),
    ...(jwks_url !== null && { jwks_url }),
  };
}
