import { dataOf } from "learning-platform-client";
import { Empty } from "../parts/empty.tsx";
import { Heading } from "../parts/heading.tsx";
import { to } from "../places.ts";
import { Shown, useReading } from "../reading.tsx";
import { api } from "../service.ts";
import { isPlatformAdmin, usePerson } from "../session.tsx";
import { t } from "../texts.ts";

/** The universities that the caller administers. */
export function AdministrationScreen() {
  const person = usePerson();
  const universities = useReading(async (signal) => {
    const all = await dataOf(api.listUniversities({ params: { query: { limit: 1000 } }, signal }));
    if (isPlatformAdmin(person)) return all;
    const own = person.roles.filter(({ role }) => role === "UNIVERSITY_ADMIN");
    return all.filter(({ id }) => own.some(({ university_id }) => university_id === id));
  }, []);
  return (
    <>
      <Heading title={t("administration")} />
      <Shown of={universities}>
        {(found) =>
          found.length === 0 ? (
            <Empty>{t("reports.no.university")}</Empty>
          ) : (
            <ul class="cards">
              {found.map((one) => (
                <li key={one.id} class="card">
                  <p class="eyebrow">{one.short_code}</p>
                  <h2>
                    <a href={to("administration", one.id, "invitations")}>{one.name}</a>
                  </h2>
                  {!one.is_active && <p class="badge dropped">{t("university.inactive")}</p>}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}
