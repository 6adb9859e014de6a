import type { Schemas } from "learning-platform-client";
import { t } from "../texts.ts";

type PersonStatesProps = { user: Schemas["UserWithMemberships"]; university: number };

/** Whether the account or the membership is switched off. */
export function DeactivatedOrSuspendedBadges({ user, university }: PersonStatesProps) {
  const here = user.memberships.find(({ university_id }) => university_id === university);
  return (
    <>
      {!user.is_active && <span class="badge dropped">{t("people.inactive")}</span>}
      {here?.is_active === false && <span class="badge dropped">{t("people.suspended")}</span>}
    </>
  );
}
