import { dataOf, type Schemas } from "learning-platform-client";
import { ScreenHeading } from "../components/heading.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { formatDayAndTime } from "../format.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { isPlatformAdmin, useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { NewRolloutForm } from "./new-rollout.tsx";

export function RolloutsScreen({ name }: { name: string }) {
  const path = { prompt_name: name };
  const rollouts = usePagedQuery(
    (query, signal) => dataOf(apiClient.listPromptRollouts({ params: { path, query }, signal })),
    [name],
  );
  return (
    <>
      <BackLink route={["prompts", name]}>{name}</BackLink>
      <ScreenHeading title={t("rollouts.of", { name })} />
      <div class="prompt">
        <p class="quiet">{t("rollouts.about")}</p>
        <section class="card" aria-labelledby="rollouts">
          <h2 id="rollouts">{t("rollouts")}</h2>
          <PagedLineList of={rollouts} empty={t("rollouts.empty")}>
            {(one) => (
              <li>
                <a href={screenHref("prompts", name, "rollouts", one.id)}>
                  {t("rollout.line", {
                    candidate: one.candidate_version,
                    base: one.base_version,
                    moment: formatDayAndTime(one.created_at),
                  })}
                </a>
                <span class={one.state === "RUNNING" ? "badge active" : "badge"}>
                  {t(`rollout.state.${one.state}`)}
                </span>
                {one.stop_reason && <small>{stopReasonLabel(one.stop_reason)}</small>}
              </li>
            )}
          </PagedLineList>
        </section>
        {isPlatformAdmin(useCurrentUser()) ? (
          <NewRolloutForm name={name} />
        ) : (
          <p class="quiet">{t("rollout.who")}</p>
        )}
      </div>
    </>
  );
}

type Stop = NonNullable<Schemas["Rollout"]["stop_reason"]>;

export const stopReasonLabel = (reason: Stop): string => t(`rollout.stop.${reason}`);
