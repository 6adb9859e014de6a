import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Form } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { fragmentParameter, screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useSession } from "../session.tsx";
import { t } from "../texts.ts";
import { NewPasswordField } from "./account-fields.tsx";

/**
 * The target of a verification mail. Needs a click, since some mail programs open every link. Other users
 * sign in first, or claim the account with a password.
 */
export function VerifyEmailScreen() {
  const [isDone, setDone] = useState(false);
  const { isSignedIn, person } = useSession();
  const token = fragmentParameter(location.hash, "token");
  const confirmAddress = async () => {
    await dataOf(apiClient.verifyEmail({ body: { token } }));
    setDone(true);
    person.again();
  };
  const takeOver = async (fields: FormData) => {
    await dataOf(apiClient.verifyEmail({ body: { token, password: String(fields.get("password")) } }));
    setDone(true);
  };
  return (
    <div class="sign-in">
      <ScreenHeading title={t("verify")} />
      {isDone ? (
        <Notice kind="good">
          {t("verify.done")} <a href={screenHref()}>{t("go.on")}</a>
        </Notice>
      ) : (
        <div class="card">
          <p>{t(!token ? "link.incomplete" : isSignedIn ? "verify.about" : "verify.sign.in")}</p>
          {isSignedIn ? (
            <>
              <p>{t("invited.as", { name: person.value?.profile.email ?? "" })}</p>
              {person.value && !person.value.profile.sign_in.reaches_account ? (
                <p class="notice">{t("limits.way.in")}</p>
              ) : (
                <ActionButton class="primary" run={confirmAddress} disabled={!token}>
                  {t("verify.confirm")}
                </ActionButton>
              )}
            </>
          ) : (
            <details>
              <summary>{t("verify.take.over")}</summary>
              <Form send={takeOver} submit={t("verify.take.over")}>
                <p class="quiet">{t("verify.take.over.about")}</p>
                <NewPasswordField />
              </Form>
            </details>
          )}
        </div>
      )}
    </div>
  );
}
