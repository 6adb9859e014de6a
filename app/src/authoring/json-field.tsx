import { useState } from "preact/hooks";
import { Field, valueOfEventTarget } from "../components/field.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { t } from "../texts.ts";
import type { ContentData } from "./at-path.ts";

type JsonFieldProps = { data: ContentData; isOpen: boolean; onChange: (data: ContentData) => void };

/** The whole content as JSON, including keys without a field. */
export const WholeContentJsonEditor = (props: JsonFieldProps) => (
  <LazyDisclosure label={t("json")} isOpen={props.isOpen}>
    {() => <Json {...props} />}
  </LazyDisclosure>
);

function Json({ data, onChange }: JsonFieldProps) {
  const written = JSON.stringify(data, null, 2);
  const [{ text, of }, setText] = useState({ text: written, of: written });
  const shown = of === written ? text : written;
  const read = (typed: string) => {
    const value = parsed(typed);
    setText({ text: typed, of: value ? JSON.stringify(value, null, 2) : written });
    if (value) onChange(value);
  };
  return (
    <>
      <Field name="data_json" label={t("json.one")} about={t("json.about")}>
        <textarea
          rows={12}
          class="code"
          spellcheck={false}
          value={shown}
          onInput={(event) => read(valueOfEventTarget(event))}
        />
      </Field>
      {!parsed(shown) && (
        <p class="fault" role="status">
          {t("json.broken")}
        </p>
      )}
    </>
  );
}

function parsed(text: string): ContentData | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
