import type { ComponentChildren } from "preact";
import { usePerson } from "../session.tsx";
import { t } from "../texts.ts";

/** What takes a sign-in that reaches the whole account; in its place stands that this one does not. */
export function WholeAccount({ children }: { children: ComponentChildren }) {
  if (usePerson().profile.sign_in.reaches_account) return <>{children}</>;
  return <p class="notice">{t("limits.account")}</p>;
}
