import { t } from "../texts.ts";

/** What a person is called beside their grades: an erased account is a number. */
export const nameOnRecord = (one: { user_id: number; full_name: string | null }): string =>
  one.full_name ?? t("person.erased", { number: one.user_id });
