import { dataOf } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { Form } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { LtiLaunchEndedScreen } from "../embed/launch-ended.tsx";
import { getDeepLinkingRequest } from "../embed/launched.ts";
import { TextInContentLanguage, TranslatedSentenceWithTitle } from "../markup/text-in-content-language.tsx";
import { QueryBoundary } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CourseAndTermLine, useOutline } from "../use-outline.tsx";

/** Deep linking: a teacher picks links in the LMS's frame, which then returns to the LMS. */
export function DeepLinkPickerScreen({ course, offering }: { course: string; offering: string }) {
  const found = useOutline(course, offering);
  const asked = getDeepLinkingRequest();
  if (!asked) return <LtiLaunchEndedScreen />;
  const { ticket, accept_multiple } = asked;
  const send = async (fields: FormData) => {
    const links = fields.getAll("link").map((value) => targetOf(String(value)));
    const path = { offering_id: Number(offering) };
    const { address } = await dataOf(apiClient.makeLtiLinks({ params: { path }, body: { ticket, links } }));
    location.assign(address);
  };
  const choice = { isMultiple: accept_multiple };
  return (
    <QueryBoundary of={found}>
      {(outline) => (
        <>
          <CourseAndTermLine outline={outline} withTitle />
          <ScreenHeading title={t("lti.links")} />
          <p class="quiet">{t(accept_multiple ? "lti.links.about" : "lti.links.about.one")}</p>
          <Form class="form card" send={send} submit={t("lti.links.send")}>
            <Choice {...choice} value="course" label={t("lti.links.course")} />
            {outline.modules.map(({ id, title, items }) => (
              <fieldset key={id} class="stack">
                <legend lang={outline.course.language_code}>{title}</legend>
                <Choice
                  {...choice}
                  value={`module ${id}`}
                  label={
                    <TranslatedSentenceWithTitle
                      text="lti.links.module"
                      title={title}
                      lang={outline.course.language_code}
                    />
                  }
                />
                {items.map((item) => (
                  <Choice
                    key={item.id}
                    {...choice}
                    value={`item ${item.id}`}
                    label={
                      <TextInContentLanguage lang={outline.course.language_code}>
                        {item.title}
                      </TextInContentLanguage>
                    }
                  />
                ))}
              </fieldset>
            ))}
          </Form>
        </>
      )}
    </QueryBoundary>
  );
}

type ChoiceProps = { isMultiple: boolean; value: string; label: ComponentChildren };

/** The course is the first option and the default. */
const Choice = ({ isMultiple, value, label }: ChoiceProps) => (
  <label class="check">
    <input
      type={isMultiple ? "checkbox" : "radio"}
      name="link"
      value={value}
      defaultChecked={!isMultiple && value === "course"}
    />
    {label}
  </label>
);

function targetOf(value: string): { content_item_id?: number; module_id?: number } {
  const [kind, id] = value.split(" ");
  if (kind === "item") return { content_item_id: Number(id) };
  return kind === "module" ? { module_id: Number(id) } : {};
}
