import { dataOf, type Schemas } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { formatDay } from "../format.ts";
import { useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { useSession } from "../session.tsx";
import { t } from "../texts.ts";

type Offer = Schemas["Offer"];

/** Offers from universities to the user's verified address. An offer takes effect when it is accepted. */
export function RoleAndEnrollmentOffers() {
  const { person } = useSession();
  const offers = useQuery(
    (signal) => dataOf(apiClient.listMyOffers({ params: { query: { limit: 100 } }, signal })),
    [],
  );
  if (!offers.value?.length) return null;
  const changed = () => {
    offers.again();
    person.again();
  };
  return (
    <section class="card" aria-labelledby="offers">
      <h2 id="offers">{t("offers")}</h2>
      <p class="quiet">{t("offers.about")}</p>
      <ul class="lines">
        {offers.value.map((one) => (
          <OfferLine key={one.id} offer={one} onChange={changed} />
        ))}
      </ul>
    </section>
  );
}

function OfferLine({ offer, onChange }: { offer: Offer; onChange: () => void }) {
  const params = { path: { offer_id: offer.id } };
  const what = wordsOf(offer);
  const accept = async () => {
    await dataOf(apiClient.acceptMyOffer({ params }));
    onChange();
  };
  const decline = async () => {
    await dataOf(apiClient.declineMyOffer({ params }));
    onChange();
  };
  return (
    <li>
      <span>
        <strong>{what}</strong> <small>{offer.university_name}</small>
      </span>
      <span class="row">
        <small>{t("invitation.until", { day: formatDay(offer.expires_at) })}</small>
        <ActionButton class="primary" run={accept} label={t("offers.accept.of", { what })}>
          {t("offers.accept")}
        </ActionButton>
        <ActionButton class="quiet" run={decline} label={t("offers.decline.of", { what })}>
          {t("offers.decline")}
        </ActionButton>
      </span>
    </li>
  );
}

function wordsOf({ role, department_name, teaches, ...offer }: Offer): string {
  const { course_title: title, prerequisite_title: required } = offer;
  if (title && required) return t("offers.excuses", { title, required });
  return [
    role && [t(`role.${role}`), department_name].filter(Boolean).join(", "),
    title && t(teaches ? "offers.teaches" : "offers.enrolls", { title }),
  ]
    .filter(Boolean)
    .join("; ");
}
