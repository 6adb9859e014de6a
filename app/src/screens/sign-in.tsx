import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { explainError, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { signIn } from "../session.tsx";
import { IdentityProviderButtons } from "../sign-in/providers.tsx";
import { t } from "../texts.ts";

export function SignInScreen({ name }: { name: string }) {
  const [fault, setFault] = useState("");
  const [isSending, setSending] = useState(false);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setSending(true);
    setFault("");
    try {
      await signIn({ email: String(form.get("email")), password: String(form.get("password")) });
    } catch (error) {
      setFault(explainError(error));
      setSending(false);
    }
  }

  return (
    <div class="sign-in">
      <ScreenHeading title={t("sign.in.to", { name })} />
      <form class="card" onSubmit={submit} aria-describedby={fault ? "sign-in-fault" : undefined}>
        <label>
          {t("email")}
          <input type="email" name="email" autocomplete="username" required />
        </label>
        <label>
          {t("password")}
          <input type="password" name="password" autocomplete="current-password" required />
        </label>
        {fault && (
          <p id="sign-in-fault" class="fault" role="alert">
            {fault}
          </p>
        )}
        <button type="submit" class="primary" aria-busy={isSending}>
          {t("sign.in")}
        </button>
      </form>
      <IdentityProviderButtons />
      <div class="row apart">
        <a href={screenHref("register")}>{t("sign.in.register")}</a>
        <a href={screenHref("forgot-password")}>{t("sign.in.forgot")}</a>
      </div>
      <Demonstration />
    </div>
  );
}

type Account = Schemas["DemonstrationAccount"];

/** One-click sign-in by role, if the service is a demonstration. */
function Demonstration() {
  const { value: accounts = [] } = useQuery(
    (signal) => dataOf(apiClient.listDemonstrationAccounts({ signal })),
    [],
  );
  const shown = [
    { label: t("demo.learner"), account: accounts.find(({ role }) => role === "STUDENT") },
    { label: t("demo.teacher"), account: accounts.find(({ role }) => role === "INSTRUCTOR") },
    { label: t("demo.administrator"), account: accounts.find(({ role }) => role === "PLATFORM_ADMIN") },
  ].filter((one): one is { label: string; account: Account } => one.account !== undefined);
  if (shown.length === 0) return null;
  return (
    <section class="card demo" aria-labelledby="demo-title">
      <h2 id="demo-title">{t("demo")}</h2>
      <p class="quiet">{t("demo.about")}</p>
      <div class="choices">
        {shown.map(({ label, account: { email, password, full_name } }) => (
          <ActionButton key={email} class="choice" run={() => signIn({ email, password })}>
            <strong>{label}</strong>
            <small>{full_name}</small>
          </ActionButton>
        ))}
      </div>
    </section>
  );
}
