import { dataOf, type Schemas } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { SearchForm } from "../components/search-form.tsx";
import { formatDay } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { administersWholeUniversity } from "./scope.ts";
import { fetchUniversitySetupSteps } from "./setup-steps.ts";
import { UniversityAdministrationLayout } from "./university-layout.tsx";
import { fetchUniversityProblems } from "./university-problems.ts";

/** The start of a university's administration: setup steps, problems and people. */
export function UniversityAdministrationDashboard({ university }: { university: string }) {
  const id = Number(university);
  const administersAll = administersWholeUniversity(useCurrentUser(), id);
  return (
    <UniversityAdministrationLayout university={university} part="" title={t("administration")}>
      {(read) =>
        administersAll ? (
          <div class="columns">
            <div class="stack">
              <QueryBoundary of={read}>{(found) => <SetupSteps university={found} />}</QueryBoundary>
              <Problems university={id} />
            </div>
            <NewestPeople university={id} />
          </div>
        ) : (
          <NewestPeople university={id} />
        )
      }
    </UniversityAdministrationLayout>
  );
}

function SetupSteps({ university }: { university: Schemas["University"] }) {
  const steps = useQuery((signal) => fetchUniversitySetupSteps(university, signal), [university.id]);
  return (
    <section class="card" aria-labelledby="setup">
      <h2 id="setup">{t("setup")}</h2>
      <QueryBoundary of={steps}>
        {(found) =>
          found.every(({ isDone }) => isDone) ? (
            <p class="quiet">{t("setup.done")}</p>
          ) : (
            <ul class="checks">
              {found.map(({ step, isDone, href }) => (
                <Check key={step} isGood={isDone} state={t(isDone ? "done" : "setup.open")}>
                  <a href={href}>{t(`setup.${step}`)}</a>
                </Check>
              ))}
            </ul>
          )
        }
      </QueryBoundary>
    </section>
  );
}

function Problems({ university }: { university: number }) {
  const problems = useQuery((signal) => fetchUniversityProblems(university, signal), [university]);
  return (
    <section class="card" aria-labelledby="problems">
      <h2 id="problems">{t("problems")}</h2>
      <QueryBoundary of={problems}>
        {(found) =>
          found.length === 0 ? (
            <p class="quiet">{t("problems.none")}</p>
          ) : (
            <ul class="checks">
              {found.map(({ text, part }) => (
                <Check key={text} isGood={false} state={t("setup.open")}>
                  <a href={screenHref("administration", university, part)}>{text}</a>
                </Check>
              ))}
            </ul>
          )
        }
      </QueryBoundary>
    </section>
  );
}

type CheckProps = { isGood: boolean; state: string; children: ComponentChildren };

const Check = ({ isGood, state, children }: CheckProps) => (
  <li class={isGood ? "" : "open"}>
    <span class="mark" aria-hidden="true">
      {isGood ? "✓" : "!"}
    </span>
    <span>
      {children} <span class="unseen">{state}</span>
    </span>
  </li>
);

function NewestPeople({ university }: { university: number }) {
  const query = { university_id: university, sort: "-created_at", limit: 5 } as const;
  const people = useQuery(
    (signal) => dataOf(apiClient.listUsers({ params: { query }, signal })),
    [university],
  );
  const hrefOf = (...parts: (string | number)[]) => screenHref("administration", university, ...parts);
  const search = (q: string) => {
    location.hash = `${hrefOf("people")}?${new URLSearchParams({ q })}`;
  };
  return (
    <section class="card" aria-labelledby="newest-people">
      <h2 id="newest-people">{t("people.newest")}</h2>
      <QueryBoundary of={people}>
        {(found) => (
          <ul class="lines">
            {found.map(({ id, full_name, created_at }) => (
              <li key={id}>
                <a href={hrefOf("people", id)}>{full_name}</a>
                <small>{t("since", { day: formatDay(created_at) })}</small>
              </li>
            ))}
          </ul>
        )}
      </QueryBoundary>
      <SearchForm label={t("roster.search.number")} onSearch={search} submit={t("search")} />
      <p class="row">
        <a href={hrefOf("invitations")}>{t("invite")}</a>
        {administersWholeUniversity(useCurrentUser(), university) && (
          <a href={hrefOf("imports")}>{t("imports")}</a>
        )}
        <a href={screenHref("feature-requests", "all")}>{t("requests")}</a>
      </p>
    </section>
  );
}
