import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { useRef, useState } from "preact/hooks";
import { EmptyMessage } from "../components/empty.tsx";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient, sendCookiesOption } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { staffScopeFilters } from "../staff-scopes.ts";
import { t } from "../texts.ts";

type Offering = Schemas["ListedOffering"];

/** The offering to bind: an existing one, a new run of it, or a run of a copy of its course. */
type Use = "own" | "run" | "course";

/** A teacher binds an LMS course to an offering. */
export function BindLmsCourseScreen({ ticket }: { ticket: string }) {
  const { profile, roles } = useCurrentUser();
  const [bound, setBound] = useState<{ course_id: number; id: number; title: string }>();
  // Copies by choice: if the binding fails, a retry reuses the copy.
  const copies = useRef(new Map<string, Promise<Schemas["Offering"]>>());
  const found = useQuery(
    async (signal) => {
      const facts = await dataOf(apiClient.readLtiTicket({ body: { ticket }, ...sendCookiesOption, signal }));
      return { facts, offerings: await taught(profile.id, roles, facts.university_id, signal) };
    },
    [ticket],
  );
  return (
    <>
      <ScreenHeading title={t("lti.connect")} />
      <QueryBoundary of={found}>
        {({ facts, offerings }) => {
          const { university_id, platform_name, context_title } = facts;
          if (bound)
            return (
              <Notice kind="good">
                {t("lti.connect.done", { course: context_title ?? "", platform: platform_name })}{" "}
                <a href={screenHref("authoring", bound.course_id, "offerings", bound.id)}>{bound.title}</a>
              </Notice>
            );
          const connect = async (fields: FormData) => {
            const chosen = offerings.find(({ id }) => id === Number(readTextField(fields, "offering")));
            if (!chosen) return;
            const { id, course_id } = await toBind(
              chosen,
              readTextField(fields, "use") as Use,
              copies.current,
            );
            const body = { ticket, course_offering_id: id, is_own_launch: fields.has("own") };
            await dataOf(
              apiClient.bindLtiContext({ params: { path: { university_id } }, body, ...sendCookiesOption }),
            );
            setBound({ id, course_id, title: chosen.course.title });
          };
          return (
            <>
              <p>{t("lti.connect.about", { course: context_title ?? "", platform: platform_name })}</p>
              {offerings.length === 0 ? (
                <EmptyMessage>{t("lti.connect.empty")}</EmptyMessage>
              ) : (
                <Form class="form card" send={connect} submit={t("lti.connect.do")}>
                  <Field name="offering" label={t("lti.connect.offering")}>
                    <select required>
                      {offerings.map((one) => (
                        <option key={one.id} value={one.id}>
                          {[one.course.code, one.course.title, one.term_name].filter(Boolean).join(" · ")}
                        </option>
                      ))}
                    </select>
                  </Field>
                  <Field name="use" label={t("lti.connect.use")} about={t("lti.connect.use.about")}>
                    <select>
                      <option value="own">{t("lti.connect.use.own")}</option>
                      <option value="run">{t("lti.connect.use.run")}</option>
                      <option value="course">{t("lti.connect.use.course")}</option>
                    </select>
                  </Field>
                  <label class="check">
                    <input type="checkbox" name="own" defaultChecked />
                    {t("lti.connect.own", { platform: platform_name })}
                  </label>
                </Form>
              )}
            </>
          );
        }}
      </QueryBoundary>
    </>
  );
}

/** The offering to bind. A copy is created only once. */
async function toBind(
  chosen: Offering,
  use: Use,
  copies: Map<string, Promise<Schemas["Offering"]>>,
): Promise<{ id: number; course_id: number }> {
  if (use === "own") return chosen;
  const key = `${use} ${chosen.id}`;
  const path = { course_id: chosen.course_id, offering_id: chosen.id };
  const body = use === "run" ? { same_course: true } : {};
  const copy = copies.get(key) ?? dataOf(apiClient.copyCourseOffering({ params: { path }, body }));
  copies.set(key, copy);
  // A failed copy is retried.
  copy.catch(() => copies.delete(key));
  return copy;
}

/** Offerings of the university that the person may manage, those they teach first. */
async function taught(
  person: number,
  roles: Schemas["OwnRole"][],
  university: number,
  signal: AbortSignal,
): Promise<Offering[]> {
  const asked = [{ teacher_id: person }, ...staffScopeFilters(roles)].map((scope) =>
    allOf(apiClient.listOfferings, {
      params: { query: { ...scope, limit: 1000, sort: "-starts_at" } },
      signal,
    }),
  );
  const all = (await Promise.all(asked)).flat().filter(({ university_id }) => university_id === university);
  return [...new Map(all.map((one) => [one.id, one])).values()];
}
