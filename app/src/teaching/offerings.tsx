import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { SignInAccessLimitNotice } from "../components/access-limit-notice.tsx";
import { LazyDisclosureCard } from "../components/disclosure.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { formatDay } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { hasAuthorRole, useCurrentUser } from "../session.tsx";
import { staffScopeFilters } from "../staff-scopes.ts";
import { t } from "../texts.ts";
import { hasWaitingWork, OfferingToDoCard } from "./offering-to-do-card.tsx";

type Offering = Schemas["ListedOffering"];

export function TeachingScreen() {
  const person = useCurrentUser();
  const desk = useQuery((signal) => dataOf(apiClient.getMyTeaching({ signal })), []);
  return (
    <>
      <ScreenHeading title={t("teaching")}>
        {hasAuthorRole(person) && (
          <a class="button" href={screenHref("authoring")}>
            {t("teaching.courses")}
          </a>
        )}
      </ScreenHeading>
      <SignInAccessLimitNotice />
      <QueryBoundary of={desk}>
        {({ offerings }) => (
          <>
            <ul class="cards">
              {waitingFirst(offerings).map((one) => (
                <OfferingToDoCard key={one.course_offering.id} taught={one} />
              ))}
            </ul>
            <AllOfferings isAlone={offerings.length === 0} />
          </>
        )}
      </QueryBoundary>
    </>
  );
}

const waitingFirst = (offerings: Schemas["TaughtOffering"][]) =>
  offerings.toSorted((one, other) => Number(hasWaitingWork(other)) - Number(hasWaitingWork(one)));

/** All offerings. Loaded on opening, or immediately if nothing else is shown. */
function AllOfferings({ isAlone }: { isAlone: boolean }) {
  if (isAlone) return <Listed />;
  return <LazyDisclosureCard label={t("teaching.others")}>{() => <Listed />}</LazyDisclosureCard>;
}

function Listed() {
  const { profile, roles } = useCurrentUser();
  const offerings = useQuery((signal) => taught(profile.id, roles, signal), []);
  return (
    <QueryBoundary of={offerings}>
      {(found) =>
        found.length === 0 ? (
          <EmptyMessage>{t("teaching.empty")}</EmptyMessage>
        ) : (
          <ul class="cards">
            {found.map((one) => (
              <li key={one.id} class="card course">
                <p class="eyebrow">
                  {one.course.code} {one.term_name && `· ${one.term_name}`}
                </p>
                <h2>
                  <a href={screenHref("teaching", one.course_id, one.id)}>{one.course.title}</a>
                </h2>
                <p class="quiet">{one.starts_at && t("starts.on", { day: formatDay(one.starts_at) })}</p>
              </li>
            ))}
          </ul>
        )
      }
    </QueryBoundary>
  );
}

/** Offerings that the person teaches, then those where they are staff. */
async function taught(person: number, roles: Schemas["OwnRole"][], signal: AbortSignal): Promise<Offering[]> {
  const asked = [{ teacher_id: person }, ...staffScopeFilters(roles)].map((scope) =>
    allOf(apiClient.listOfferings, {
      params: { query: { ...scope, limit: 1000, sort: "-starts_at" } },
      signal,
    }),
  );
  const found = (await Promise.all(asked)).flat();
  return [...new Map(found.map((one) => [one.id, one])).values()];
}
