import { Field } from "../components/field.tsx";
import { t } from "../texts.ts";

export const FullNameField = ({ value }: { value?: string }) => (
  <Field name="full_name" label={t("name")}>
    <input maxLength={255} autocomplete="name" defaultValue={value} required />
  </Field>
);

export const EmailField = ({ label = t("email"), autocomplete = "username" }) => (
  <Field name="email" label={label}>
    <input type="email" autocomplete={autocomplete} required />
  </Field>
);

/** A new password: shows the rules and lets the browser generate and save one. */
export const NewPasswordField = ({ name = "password", label = t("password") }) => (
  <Field name={name} label={label} about={t("password.rules")}>
    <input type="password" autocomplete="new-password" required />
  </Field>
);

/** Accounts with single sign-on have no password. */
export const CurrentPasswordField = ({ name = "current_password" }) => (
  <Field name={name} label={t("account.current.password")}>
    <input type="password" autocomplete="current-password" />
  </Field>
);
