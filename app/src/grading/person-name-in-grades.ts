import { t } from "../texts.ts";

type Recorded = { user_id: number | null; full_name: string | null; code?: string | null };

/** A person's name in grades. Erased accounts show a number, anonymous work a code. */
export const personNameInGrades = ({ user_id, full_name, code }: Recorded): string =>
  user_id === null ? (code ?? "–") : (full_name ?? t("person.erased", { number: user_id }));
