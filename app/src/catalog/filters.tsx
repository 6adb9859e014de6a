import { allOf } from "learning-platform-client";
import { useEffect, useState } from "preact/hooks";
import { Field, NumberField, SelectField } from "../components/field.tsx";
import { readTextField } from "../components/form.tsx";
import { SelectByIdField } from "../components/id-field.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { useDebouncedValue } from "../components/use-debounced.ts";
import { useMediaQueryMatches } from "../components/use-media.ts";
import { useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { currentLanguage, t, withTranslatedLabels } from "../texts.ts";
import { languageOptions } from "./languages.ts";
import { type CourseLevel, courseLevels } from "./levels.ts";
import { subjectOptions, subjectTree } from "./subject-tree.ts";

export type CatalogFilterValues = {
  q?: string;
  subject_id?: number;
  level?: CourseLevel;
  language_code?: string;
  credits_from?: number;
  credits_to?: number;
};

const credits = { min: 0, max: 99.99, step: 0.01 };

export function CatalogFilterForm({ onChoose }: { onChoose: (choice: CatalogFilterValues) => void }) {
  const subjects = useQuery(
    (signal) => allOf(apiClient.listSubjects, { params: { query: { limit: 1000 } }, signal }),
    [],
  );
  const [choice, choose] = useState<CatalogFilterValues>({});
  const settled = useDebouncedValue(choice);
  useEffect(() => onChoose(settled), [settled]);
  const isNarrow = useMediaQueryMatches("(max-width: 40rem)");
  const tree = subjectTree(subjects.value ?? [], currentLanguage());
  return (
    <form
      class="form card catalog-filters"
      aria-label={t("catalog.filters")}
      onSubmit={(event) => event.preventDefault()}
      onInput={(event) => choose(choiceIn(new FormData(event.currentTarget)))}
    >
      <Field name="q" label={t("catalog.search")}>
        <input type="search" maxLength={200} />
      </Field>
      {/* Only phones fold them. */}
      <details open={!isNarrow}>
        <summary>{t("catalog.more.filters")}</summary>
        <div class="fields">
          <SelectByIdField
            name="subject_id"
            label={t("catalog.subject")}
            of={subjectOptions(tree)}
            chosen={null}
            none={t("catalog.any")}
          />
          <SelectField
            name="level"
            label={t("course.level")}
            of={[["", t("catalog.any")], ...withTranslatedLabels("level", courseLevels)]}
            chosen=""
          />
          <SelectField
            name="language_code"
            label={t("course.language")}
            of={[["", t("catalog.any")], ...languageOptions()]}
            chosen=""
          />
          <NumberField name="credits_from" label={t("catalog.credits.from")} {...credits} />
          <NumberField name="credits_to" label={t("catalog.credits.to")} {...credits} />
        </div>
      </details>
    </form>
  );
}

function choiceIn(fields: FormData): CatalogFilterValues {
  const said = {
    q: readTextField(fields, "q"),
    subject_id: readNumberFieldOrNull(fields, "subject_id"),
    level: readTextField(fields, "level"),
    language_code: readTextField(fields, "language_code"),
    credits_from: readNumberFieldOrNull(fields, "credits_from"),
    credits_to: readNumberFieldOrNull(fields, "credits_to"),
  };
  return Object.fromEntries(
    Object.entries(said).filter(([, value]) => value !== null && value !== ""),
  ) as CatalogFilterValues;
}
