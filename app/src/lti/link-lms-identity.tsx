import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient, sendCookiesOption } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";

/** Links an LMS identity to this account, once. */
export function LinkLmsIdentityScreen({ ticket }: { ticket: string }) {
  const { profile } = useCurrentUser();
  const [isDone, setDone] = useState(false);
  const facts = useQuery(
    (signal) => dataOf(apiClient.readLtiTicket({ body: { ticket }, ...sendCookiesOption, signal })),
    [ticket],
  );
  return (
    <>
      <ScreenHeading title={t("lti.link")} />
      <QueryBoundary of={facts}>
        {({ university_id, platform_name, full_name }) => {
          const link = async () => {
            await dataOf(
              apiClient.linkLtiPerson({
                params: { path: { university_id } },
                body: { ticket },
                ...sendCookiesOption,
              }),
            );
            setDone(true);
          };
          if (isDone) return <Notice kind="good">{t("lti.link.done", { platform: platform_name })}</Notice>;
          return (
            <div class="card">
              <p>
                {t("lti.link.about", {
                  platform: platform_name,
                  there: full_name ?? "?",
                  here: profile.email ?? profile.full_name,
                })}
              </p>
              <ActionButton class="primary" run={link}>
                {t("lti.link.yes")}
              </ActionButton>
            </div>
          );
        }}
      </QueryBoundary>
    </>
  );
}
