import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { CheckboxField, Field, NumberField, valueOfEventTarget } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { LineDiffView } from "./diff-lines.tsx";
import { PromptVersionLayout, type PromptVersionRouteProps } from "./version-layout.tsx";

type Version = Schemas["ResolvedPrompt"];

/** Writes a new version based on an existing one. It has no label, so it is not in use. */
export const NewPromptVersionScreen = (version: PromptVersionRouteProps) => (
  <PromptVersionLayout {...version} part="write">
    {(found) => <Write key={found.version} base={found} />}
  </PromptVersionLayout>
);

function Write({ base }: { base: Version }) {
  const { name, version, prompt } = base;
  const [text, setText] = useState(prompt);
  const save = async (fields: FormData) => {
    const made = await dataOf(apiClient.createPrompt({ body: versionOf(base, fields) }));
    location.hash = screenHref("prompts", name, "versions", made.version);
  };
  return (
    <>
      <section class="card" aria-labelledby="write">
        <h2 id="write">{t("version.write")}</h2>
        <p>{t("write.about", { version })}</p>
        <Form send={save} submit={t("write.save")}>
          <Field name="prompt" label={t("version.text")}>
            <textarea
              rows={16}
              required
              defaultValue={prompt}
              onInput={(event) => setText(valueOfEventTarget(event))}
            />
          </Field>
          <CheckboxField
            name="allow_unknown_variables"
            label={t("write.unknown")}
            about={t("write.unknown.about")}
          >
            <input type="checkbox" />
          </CheckboxField>
          <ConfigFields config={base.config} />
          <Field name="commit_message" label={t("write.message")}>
            <input maxLength={500} />
          </Field>
        </Form>
      </section>
      <section class="card" aria-labelledby="difference">
        <h2 id="difference">{t("write.difference", { version })}</h2>
        {text === prompt ? (
          <p class="quiet">{t("write.same")}</p>
        ) : (
          <LineDiffView before={prompt} after={text} />
        )}
      </section>
    </>
  );
}

/** Config keys that have an effect. Other keys stay in the config. */
function ConfigFields({ config }: Pick<Version, "config">) {
  const { model, temperature, max_tokens } = config;
  return (
    <div class="fields">
      <Field name="config.model" label={t("write.model")} about={t("write.model.about")}>
        <input defaultValue={typeof model === "string" ? model : ""} />
      </Field>
      <NumberField
        name="config.temperature"
        label={t("write.temperature")}
        min={0}
        max={2}
        step={0.1}
        value={typeof temperature === "number" ? temperature : undefined}
      />
      <NumberField
        name="config.max_tokens"
        label={t("write.longest")}
        min={1}
        value={typeof max_tokens === "number" ? max_tokens : undefined}
      />
    </div>
  );
}

function versionOf({ name, type, config }: Version, fields: FormData): Schemas["PromptCreate"] {
  const { model: _, temperature: __, max_tokens: ___, ...rest } = config;
  const model = String(fields.get("config.model") ?? "").trim();
  const temperature = readNumberFieldOrNull(fields, "config.temperature");
  const max_tokens = readNumberFieldOrNull(fields, "config.max_tokens");
  const message = String(fields.get("commit_message") ?? "").trim();
  return {
    ...{ name, type, labels: [] },
    prompt: String(fields.get("prompt") ?? ""),
    config: {
      ...rest,
      ...(model && { model }),
      ...(temperature !== null && { temperature }),
      ...(max_tokens !== null && { max_tokens }),
    },
    commit_message: message || null,
    allow_unknown_variables: fields.has("allow_unknown_variables"),
  };
}
