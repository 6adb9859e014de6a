import { Field } from "../components/field.tsx";
import { t } from "../texts.ts";

/** What people are called here. */
export const NameField = ({ value }: { value?: string }) => (
  <Field name="full_name" label={t("name")}>
    <input maxLength={255} autocomplete="name" defaultValue={value} required />
  </Field>
);

/** An address that signs in. */
export const AddressField = ({ label = t("email"), autocomplete = "username" }) => (
  <Field name="email" label={label}>
    <input type="email" autocomplete={autocomplete} required />
  </Field>
);

/** A password that is chosen, not told: what it has to be is said before, and a browser offers to make and to keep one. */
export const NewPasswordField = ({ name = "password", label = t("password") }) => (
  <Field name={name} label={label} about={t("password.rules")}>
    <input type="password" autocomplete="new-password" required />
  </Field>
);

/** The password that holds now; who signs in by a provider has none. */
export const CurrentPasswordField = ({ name = "current_password" }) => (
  <Field name={name} label={t("account.current.password")}>
    <input type="password" autocomplete="current-password" />
  </Field>
);
