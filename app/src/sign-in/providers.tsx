import { dataOf } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { universityIdInLink } from "../university-branding.ts";
import { beginProviderSignIn, providerSignInErrorKey } from "./provider-sign-in.ts";

/** A button for each identity provider. A university's providers are shown on its own link. */
export function IdentityProviderButtons() {
  const fault = providerSignInErrorKey();
  const { value: providers = [] } = useQuery((signal) => {
    const query = universityIdInLink > 0 ? { university_id: universityIdInLink } : {};
    return dataOf(apiClient.listIdentityProviders({ params: { query }, signal }));
  }, []);
  return (
    <>
      {fault && (
        <p class="notice error" role="alert">
          {t(fault)}
        </p>
      )}
      {providers.length > 0 && (
        <div class="choices">
          {providers.map((one) => (
            <ActionButton key={one.name} class="choice" run={() => beginProviderSignIn(one)}>
              {t("sign.in.with", { name: one.label })}
            </ActionButton>
          ))}
        </div>
      )}
    </>
  );
}
