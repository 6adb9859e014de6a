import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Form, readTextField } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { fragmentParameter, screenHref } from "../routes.ts";
import { apiClient, tokenStore } from "../service.ts";
import { t } from "../texts.ts";
import { EmailField, NewPasswordField } from "./account-fields.tsx";

/** Requests a reset mail. The answer is the same whether or not the account exists. */
export function ForgotPasswordScreen() {
  const send = (fields: FormData) =>
    dataOf(apiClient.askForPasswordReset({ body: { email: readTextField(fields, "email") } }));
  return (
    <div class="sign-in">
      <ScreenHeading title={t("forgot")} />
      <div class="card">
        <p class="quiet">{t("forgot.about")}</p>
        <Form send={send} submit={t("forgot.send")} done={t("forgot.sent")} clears>
          <EmailField />
        </Form>
      </div>
      <a href={screenHref()}>{t("sign.in")}</a>
    </div>
  );
}

export function ResetPasswordScreen() {
  const [isDone, setDone] = useState(false);
  const token = fragmentParameter(location.hash, "token");
  const send = async (fields: FormData) => {
    await dataOf(
      apiClient.confirmPasswordReset({ body: { token, new_password: String(fields.get("new_password")) } }),
    );
    // The reset ended all sessions.
    tokenStore.write(undefined);
    setDone(true);
  };
  return (
    <div class="sign-in">
      <ScreenHeading title={t("reset")} />
      {!token && <Notice kind="error">{t("link.incomplete")}</Notice>}
      {isDone ? (
        <Notice kind="good">
          {t("reset.done")} <a href={screenHref()}>{t("sign.in")}</a>
        </Notice>
      ) : (
        <div class="card">
          <Form send={send} submit={t("reset.set")}>
            <NewPasswordField name="new_password" label={t("account.new.password")} />
          </Form>
        </div>
      )}
      <a href={screenHref("forgot-password")}>{t("reset.ask.again")}</a>
    </div>
  );
}
