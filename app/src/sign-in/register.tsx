import { dataOf } from "learning-platform-client";
import { Form, readTextField } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { screenHref } from "../routes.ts";
import { apiClient, platformName, sendCookiesOption, tokenStore } from "../service.ts";
import { currentLanguage, t } from "../texts.ts";
import { EmailField, FullNameField, NewPasswordField } from "./account-fields.tsx";

/** Creates an account and signs in. A mail asks to verify the address. */
export function RegisterScreen() {
  async function send(fields: FormData) {
    const body = {
      full_name: readTextField(fields, "full_name"),
      email: readTextField(fields, "email"),
      password: String(fields.get("password")),
      locale: currentLanguage(),
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    };
    tokenStore.write(await dataOf(apiClient.register({ body, ...sendCookiesOption })));
    location.hash = screenHref();
  }
  return (
    <div class="sign-in">
      <ScreenHeading title={t("register.at", { name: platformName })} />
      <div class="card">
        <Form send={send} submit={t("register")}>
          <FullNameField />
          <EmailField />
          <NewPasswordField />
        </Form>
      </div>
      <a href={screenHref()}>{t("register.have.account")}</a>
    </div>
  );
}
