import { dataOf, type Schemas } from "learning-platform-client";
import { OfferingTabFilteredByState, stateFilterOptions } from "../components/offering-tab-by-state.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { useMayEditCourse } from "../use-may-edit-course.ts";
import { IssueCertificateForm } from "./issue.tsx";
import { IssuedCertificateWithActions } from "./issued.tsx";
import { CertificateSettingsForm } from "./settings.tsx";

type Certificate = Schemas["OfferingCertificate"];
type RouteProps = { course: string; offering: string };

const states: Certificate["state"][] = ["VALID", "EXPIRED", "REVOKED", "REPLACED"];

export function OfferingCertificatesScreen(route: RouteProps) {
  const isAuthor = useMayEditCourse(route.course);
  const path = { offering_id: Number(route.offering) };
  return (
    <OfferingTabFilteredByState<Certificate["state"] | "", Certificate>
      {...route}
      part="certificates"
      title={t("tab.certificates")}
      label={t("submissions.which")}
      states={stateFilterOptions(states, (state) => t(`certificate.${state}`))}
      first=""
      read={(state, part, signal) =>
        dataOf(
          apiClient.listCertificates({
            params: { path, query: { ...part, ...(state && { state }) } },
            signal,
          }),
        )
      }
      empty={() => t("certificates.none")}
      above={(again) =>
        isAuthor && (
          <>
            <CertificateSettingsForm offering={path.offering_id} />
            <IssueCertificateForm
              course={Number(route.course)}
              offering={path.offering_id}
              onIssued={again}
            />
          </>
        )
      }
    >
      {(found, again) => (
        <ul class="stack">
          {found.map((one) => (
            <li key={one.id}>
              <IssuedCertificateWithActions certificate={one} isAuthor={isAuthor} onChange={again} />
            </li>
          ))}
        </ul>
      )}
    </OfferingTabFilteredByState>
  );
}
