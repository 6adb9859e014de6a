import { dataOf, type Schemas } from "learning-platform-client";
import { useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";

type Withheld = Schemas["Profile"]["sign_in"]["withheld"][number];

/** Explains what this sign-in cannot reach, if anything. */
export function SignInAccessLimitNotice() {
  const { university_id, reaches_account, withheld } = useCurrentUser().profile.sign_in;
  return (
    <>
      {university_id !== null && !reaches_account && <OfOne university={university_id} />}
      {withheld.map((one) => (
        <p key={one.university_id} class="notice">
          {universityAccessDeniedText(one)}
        </p>
      ))}
    </>
  );
}

function OfOne({ university }: { university: number }) {
  const path = { university_id: university };
  const { value } = useQuery(
    (signal) => dataOf(apiClient.getUniversity({ params: { path }, signal })),
    [university],
  );
  return value ? <p class="notice">{t("limits.one", { university: value.name })}</p> : null;
}

/** Why a university's data is withheld. */
export const universityAccessDeniedText = ({
  university_name: university,
  is_suspended,
  provider,
}: Withheld): string =>
  is_suspended
    ? t("limits.suspended", { university })
    : t("limits.provider", { university, provider: provider ?? university });
