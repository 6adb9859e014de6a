import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Action } from "../parts/action.tsx";
import { Heading } from "../parts/heading.tsx";
import { Notice } from "../parts/notice.tsx";
import { parameterOf, to } from "../places.ts";
import { api } from "../service.ts";
import { useSession } from "../session.tsx";
import { t } from "../texts.ts";

/** Where a mail's link leads that confirms an address. It takes a click: some programs open every link of a mail. */
export function VerifyEmailScreen() {
  const [isDone, setDone] = useState(false);
  const { person } = useSession();
  const token = parameterOf(location.hash, "token");
  const confirmAddress = async () => {
    await dataOf(api.verifyEmail({ body: { token } }));
    setDone(true);
    person.again();
  };
  return (
    <div class="sign-in">
      <Heading title={t("verify")} />
      {isDone ? (
        <Notice kind="good">
          {t("verify.done")} <a href={to()}>{t("go.on")}</a>
        </Notice>
      ) : (
        <div class="card">
          <p>{token ? t("verify.about") : t("link.incomplete")}</p>
          <Action class="primary" run={confirmAddress} disabled={!token}>
            {t("verify.confirm")}
          </Action>
        </div>
      )}
    </div>
  );
}
