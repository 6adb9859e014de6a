import { allOf } from "learning-platform-client";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { isPlatformAdmin, useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { administersUniversityOrDepartment } from "./scope.ts";
import { UniversityAdministrationDashboard } from "./university-dashboard.tsx";

/** Universities that the caller administers, fully or by department. A single one opens. */
export function AdministeredUniversitiesScreen() {
  const person = useCurrentUser();
  const universities = useQuery(async (signal) => {
    const all = await allOf(apiClient.listUniversities, { params: { query: { limit: 1000 } }, signal });
    return all.filter(({ id }) => administersUniversityOrDepartment(person, id));
  }, []);
  const only = universities.value?.length === 1 && !isPlatformAdmin(person) && universities.value[0];
  if (only) return <UniversityAdministrationDashboard university={String(only.id)} />;
  return (
    <>
      <ScreenHeading title={t("administration")}>
        <nav class="row" aria-label={t("administration")}>
          {isPlatformAdmin(person) && (
            <>
              <a class="button" href={screenHref("administration", "new")}>
                {t("university.new")}
              </a>
              <a href={screenHref("administration", "audit")}>{t("audit")}</a>
              <a href={screenHref("administration", "credentials")}>{t("credentials")}</a>
              <a href={screenHref("administration", "lti-tools")}>{t("tools")}</a>
              <a href={screenHref("administration", "subjects")}>{t("reference")}</a>
            </>
          )}
          <a href={screenHref("feature-requests", "all")}>{t("requests")}</a>
        </nav>
      </ScreenHeading>
      <QueryBoundary of={universities}>
        {(found) =>
          found.length === 0 ? (
            <EmptyMessage>{t("reports.no.university")}</EmptyMessage>
          ) : (
            <ul class="cards">
              {found.map((one) => (
                <li key={one.id} class="card">
                  <p class="eyebrow">{one.short_code}</p>
                  <h2>
                    <a href={screenHref("administration", one.id)}>{one.name}</a>
                  </h2>
                  {!one.is_active && <p class="badge dropped">{t("university.inactive")}</p>}
                </li>
              ))}
            </ul>
          )
        }
      </QueryBoundary>
    </>
  );
}
