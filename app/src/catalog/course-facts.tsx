import type { Schemas } from "learning-platform-client";
import { FactList } from "../components/facts.tsx";
import { formatNumber } from "../format.ts";
import { t } from "../texts.ts";
import { languageName } from "./languages.ts";

type Chosen = Pick<Schemas["Course"], "level" | "language_code" | "credit_hours">;

export const CourseLevelLanguageAndCredits = ({ level, language_code, credit_hours }: Chosen) => (
  <FactList
    of={[
      [t("course.level"), t(`level.${level}`)],
      [t("course.language"), languageName(language_code)],
      [t("course.credits"), credit_hours === null ? undefined : formatNumber(credit_hours)],
    ]}
  />
);
