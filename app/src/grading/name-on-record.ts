import { t } from "../texts.ts";

type Recorded = { user_id: number | null; full_name: string | null; code?: string | null };

/** What a person is called beside their grades: an erased account is a number, and who is graded anonymously a code. */
export const nameOnRecord = ({ user_id, full_name, code }: Recorded): string =>
  user_id === null ? (code ?? "–") : (full_name ?? t("person.erased", { number: user_id }));
