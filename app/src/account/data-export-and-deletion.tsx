import { dataOf } from "learning-platform-client";
import { ActionButton } from "../components/action.tsx";
import { Form } from "../components/form.tsx";
import { saveAs } from "../components/save-as.ts";
import { apiClient, draftStore, tokenStore } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { CurrentPasswordField } from "../sign-in/account-fields.tsx";
import { t } from "../texts.ts";

/** Data export and account deletion. */
export function DataExportAndAccountDeletion() {
  const { profile } = useCurrentUser();
  const take = async () => {
    const held = await dataOf(apiClient.exportMyData());
    saveAs("my-data.json", JSON.stringify(held, null, 2), "application/json");
  };
  async function erase(fields: FormData) {
    if (!confirm(t("account.erase.sure"))) return;
    const password = String(fields.get("password"));
    const keep_certificates = fields.has("keep_certificates");
    await dataOf(apiClient.eraseMyAccount({ body: { keep_certificates, ...(password && { password }) } }));
    draftStore.removeAll(profile.id);
    tokenStore.write(undefined);
  }
  return (
    <section class="card" aria-labelledby="data">
      <h2 id="data">{t("account.data")}</h2>
      <ActionButton run={take}>{t("account.export")}</ActionButton>
      <details>
        <summary>{t("account.erase")}</summary>
        <p>{t("account.erase.about")}</p>
        <Form send={erase} submit={t("account.erase")}>
          <CurrentPasswordField name="password" />
          <label class="check">
            <input type="checkbox" name="keep_certificates" defaultChecked />
            {t("account.keep.certificates")}
          </label>
        </Form>
      </details>
    </section>
  );
}
