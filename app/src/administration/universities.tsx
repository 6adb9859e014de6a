import { allOf } from "learning-platform-client";
import { Empty } from "../components/empty.tsx";
import { Heading } from "../components/heading.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { to } from "../routes.ts";
import { api } from "../service.ts";
import { isPlatformAdmin, usePerson } from "../session.tsx";
import { t } from "../texts.ts";
import { administersIn } from "./scope.ts";

/** Universities that the caller administers, fully or by department. */
export function AdministrationScreen() {
  const person = usePerson();
  const universities = useQuery(async (signal) => {
    const all = await allOf(api.listUniversities, { params: { query: { limit: 1000 } }, signal });
    return all.filter(({ id }) => administersIn(person, id));
  }, []);
  return (
    <>
      <Heading title={t("administration")}>
        <nav class="row" aria-label={t("administration")}>
          {isPlatformAdmin(person) && (
            <>
              <a class="button" href={to("administration", "new")}>
                {t("university.new")}
              </a>
              <a href={to("administration", "audit")}>{t("audit")}</a>
              <a href={to("administration", "credentials")}>{t("credentials")}</a>
              <a href={to("administration", "subjects")}>{t("reference")}</a>
            </>
          )}
          <a href={to("feature-requests", "all")}>{t("requests")}</a>
        </nav>
      </Heading>
      <QueryBoundary of={universities}>
        {(found) =>
          found.length === 0 ? (
            <Empty>{t("reports.no.university")}</Empty>
          ) : (
            <ul class="cards">
              {found.map((one) => (
                <li key={one.id} class="card">
                  <p class="eyebrow">{one.short_code}</p>
                  <h2>
                    <a href={to("administration", one.id, "people")}>{one.name}</a>
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
