import type { ComponentChildren } from "preact";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";

/** Content that requires a sign-in with access to the whole account, or an explanation. */
export function WholeAccountSignInOnly({ children }: { children: ComponentChildren }) {
  if (useCurrentUser().profile.sign_in.reaches_account) return <>{children}</>;
  return <p class="notice">{t("limits.account")}</p>;
}
