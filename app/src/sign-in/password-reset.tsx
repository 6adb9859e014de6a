import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Form, typed } from "../components/form.tsx";
import { Heading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { parameterOf, to } from "../routes.ts";
import { api, tokens } from "../service.ts";
import { t } from "../texts.ts";
import { AddressField, NewPasswordField } from "./account-fields.tsx";

/** Asks for a mail; the same is said whether or not there is an account, as the service does. */
export function ForgotPasswordScreen() {
  const send = (fields: FormData) =>
    dataOf(api.askForPasswordReset({ body: { email: typed(fields, "email") } }));
  return (
    <div class="sign-in">
      <Heading title={t("forgot")} />
      <div class="card">
        <p class="quiet">{t("forgot.about")}</p>
        <Form send={send} submit={t("forgot.send")} done={t("forgot.sent")} clears>
          <AddressField />
        </Form>
      </div>
      <a href={to()}>{t("sign.in")}</a>
    </div>
  );
}

/** Where the mail's link leads. */
export function ResetPasswordScreen() {
  const [isDone, setDone] = useState(false);
  const token = parameterOf(location.hash, "token");
  const send = async (fields: FormData) => {
    await dataOf(
      api.confirmPasswordReset({ body: { token, new_password: String(fields.get("new_password")) } }),
    );
    // What was signed in before has ended with the old password.
    tokens.write(undefined);
    setDone(true);
  };
  return (
    <div class="sign-in">
      <Heading title={t("reset")} />
      {!token && <Notice kind="error">{t("link.incomplete")}</Notice>}
      {isDone ? (
        <Notice kind="good">
          {t("reset.done")} <a href={to()}>{t("sign.in")}</a>
        </Notice>
      ) : (
        <div class="card">
          <Form send={send} submit={t("reset.set")}>
            <NewPasswordField name="new_password" label={t("account.new.password")} />
          </Form>
        </div>
      )}
      <a href={to("forgot-password")}>{t("reset.ask.again")}</a>
    </div>
  );
}
