import { dataOf } from "learning-platform-client";
import { SignInAccessLimitNotice } from "../components/access-limit-notice.tsx";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { SelectField } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { TimeZoneField } from "../components/time-zone-field.tsx";
import { formatDay } from "../format.ts";
import { screenHref } from "../routes.ts";
import { apiClient, tokenStore } from "../service.ts";
import { signOut, useCurrentUser, useSession } from "../session.tsx";
import {
  CurrentPasswordField,
  EmailField,
  FullNameField,
  NewPasswordField,
} from "../sign-in/account-fields.tsx";
import { languageNames, t } from "../texts.ts";
import { CalendarFeedAddressSettings } from "./calendar-feed-address.tsx";
import { DataExportAndAccountDeletion } from "./data-export-and-deletion.tsx";
import { RoleAndEnrollmentOffers } from "./offers.tsx";
import { OwnExtraPermissionLinks } from "./own-permissions.tsx";
import { ProfilePictureUpload } from "./picture.tsx";
import { TutorSeesResultsConsentForm } from "./tutor-consent.tsx";

export function AccountScreen() {
  const { university_id, reaches_account } = useCurrentUser().profile.sign_in;
  return (
    <>
      <ScreenHeading title={t("account")} />
      <SignInAccessLimitNotice />
      <div class="panels">
        <RoleAndEnrollmentOffers />
        <OwnExtraPermissionLinks />
        <Names />
        <TutorSeesResultsConsentForm />
        {reaches_account && <ProfilePictureUpload />}
        <Address />
        {university_id === null ? <Password /> : <WayIn />}
        <SignedIn />
        {reaches_account && (
          <>
            <CalendarFeedAddressSettings />
            <DataExportAndAccountDeletion />
          </>
        )}
      </div>
      {reaches_account ? (
        <p>
          <a href={screenHref("feature-requests")}>{t("requests")}</a>
        </p>
      ) : (
        <p class="notice">{t("limits.rest")}</p>
      )}
    </>
  );
}

function Names() {
  const { profile } = useCurrentUser();
  const { person } = useSession();
  async function save(fields: FormData) {
    const body = {
      full_name: readTextField(fields, "full_name"),
      locale: readTextField(fields, "locale"),
      time_zone: readTextField(fields, "time_zone"),
    };
    await dataOf(apiClient.updateMyProfile({ body }));
    person.again();
  }
  return (
    <section class="card" aria-labelledby="profile">
      <h2 id="profile">{t("account.profile")}</h2>
      <Form send={save} submit={t("save")} done={t("saved")}>
        <FullNameField value={profile.full_name} />
        <MailLanguage locale={profile.locale} />
        <TimeZoneField value={profile.time_zone} />
      </Form>
    </section>
  );
}

/** The account's language, for mails. The screen itself uses the browser's. */
function MailLanguage({ locale }: { locale: string }) {
  const known = Object.keys(languageNames).find((tag) => tag === locale.split("-")[0]);
  return (
    <SelectField
      name="locale"
      label={t("account.mail.language")}
      of={[...(known ? [] : [[locale, locale] as [string, string]]), ...Object.entries(languageNames)].map(
        ([tag, name]) => (tag === known ? [locale, name] : [tag, name]),
      )}
      chosen={locale}
    />
  );
}

function Address() {
  const { profile } = useCurrentUser();
  async function change(fields: FormData) {
    const current_password = String(fields.get("current_password"));
    const body = { email: readTextField(fields, "email"), ...(current_password && { current_password }) };
    await dataOf(apiClient.changeMyEmail({ body }));
  }
  return (
    <section class="card" aria-labelledby="address">
      <h2 id="address">{t("email")}</h2>
      <p>
        {profile.email}{" "}
        <span class={profile.email_verified_at ? "badge completed" : "badge waiting"}>
          {profile.email_verified_at
            ? t("account.verified", { day: formatDay(profile.email_verified_at) })
            : t("account.unverified")}
        </span>
      </p>
      {profile.sign_in.university_id === null && (
        <details>
          <summary>{t("account.change.email")}</summary>
          <Form send={change} submit={t("account.change.email")} done={t("account.mail.sent")} clears>
            <EmailField label={t("account.new.email")} autocomplete="email" />
            <CurrentPasswordField />
          </Form>
        </details>
      )}
    </section>
  );
}

function Password() {
  async function change(fields: FormData) {
    const current_password = String(fields.get("current_password"));
    const body = {
      new_password: String(fields.get("new_password")),
      ...(current_password && { current_password }),
    };
    // The service ends all other sessions and returns new tokens for this one.
    tokenStore.write(await dataOf(apiClient.changeMyPassword({ body })));
  }
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">{t("password")}</h2>
      <Form send={change} submit={t("account.change.password")} done={t("account.password.changed")} clears>
        <CurrentPasswordField />
        <NewPasswordField name="new_password" label={t("account.new.password")} />
      </Form>
    </section>
  );
}

/** Shown instead of the password form after a single sign-on. */
function WayIn() {
  return (
    <section class="card" aria-labelledby="password">
      <h2 id="password">{t("password")}</h2>
      <p>{t("limits.way.in")}</p>
      <a href={screenHref("forgot-password")}>{t("forgot")}</a>
    </section>
  );
}

function SignedIn() {
  const person = useCurrentUser();
  const end = async () =>
    confirm(t("account.everywhere.sure")) && signOut(person, () => dataOf(apiClient.logoutEverywhere()));
  return (
    <section class="card" aria-labelledby="devices">
      <h2 id="devices">{t("account.devices")}</h2>
      {person.profile.sign_in.reaches_account && <p class="quiet">{t("account.devices.about")}</p>}
      <div class="row">
        <ButtonWithFocusFallback onClick={() => signOut(person)}>{t("sign.out")}</ButtonWithFocusFallback>
        {person.profile.sign_in.reaches_account && (
          <ActionButton run={end}>{t("account.everywhere")}</ActionButton>
        )}
      </div>
    </section>
  );
}
