import { t } from "../texts.ts";

/** What people are called here. */
export const NameField = () => (
  <label>
    {t("name")}
    <input name="full_name" maxLength={255} autocomplete="name" required />
  </label>
);

/** A password that is chosen, not told: a browser offers to make and to keep one. */
export const NewPasswordField = ({ name = "password", label = t("password") }) => (
  <label>
    {label}
    <input type="password" name={name} autocomplete="new-password" required />
  </label>
);
