import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { fragmentParameter, screenHref } from "../routes.ts";
import { apiClient, sendCookiesOption, tokenStore } from "../service.ts";
import { useSession } from "../session.tsx";
import { t } from "../texts.ts";
import { FullNameField, NewPasswordField } from "./account-fields.tsx";

/** The target of an invitation link: creates an account, or adds to the one that is signed in. */
export function AcceptInvitationScreen() {
  const { isSignedIn, person } = useSession();
  const [isDone, setDone] = useState(false);
  const token = fragmentParameter(location.hash, "token");
  const accept = async () => {
    await dataOf(apiClient.acceptMyInvitation({ body: { token } }));
    setDone(true);
    person.again();
  };
  const begin = async (fields: FormData) => {
    const body = {
      token,
      full_name: readTextField(fields, "full_name"),
      password: String(fields.get("password")),
    };
    tokenStore.write(await dataOf(apiClient.acceptInvitationAnew({ body, ...sendCookiesOption })));
    location.hash = screenHref();
  };
  return (
    <div class="sign-in">
      <ScreenHeading title={t("invited")} />
      {!token && <Notice kind="error">{t("link.incomplete")}</Notice>}
      {isDone ? (
        <Notice kind="good">
          {t("invited.done")} <a href={screenHref()}>{t("go.on")}</a>
        </Notice>
      ) : (
        <div class="card">
          {isSignedIn ? (
            <>
              <p>{t("invited.as", { name: person.value?.profile.full_name ?? "" })}</p>
              <ActionButton class="primary" run={accept} disabled={!token}>
                {t("invited.accept")}
              </ActionButton>
            </>
          ) : (
            <Form send={begin} submit={t("invited.accept")}>
              <p class="quiet">{t("invited.new")}</p>
              <FullNameField />
              <NewPasswordField />
            </Form>
          )}
        </div>
      )}
      {!isSignedIn && <p class="quiet">{t("invited.have.account")}</p>}
    </div>
  );
}
