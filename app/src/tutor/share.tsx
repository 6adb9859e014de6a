import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type ShareProps = { session: Schemas["ChatSessionWithMessages"]; onChange: () => Promise<void> };

/** Creates and revokes the share link of a conversation. */
export function ShareLinkControls({ session, onChange }: ShareProps) {
  const [isCopied, setCopied] = useState(false);
  const params = { path: { session_id: session.id } };
  if (!session.share_enabled || !session.share_token) {
    const share = async () => {
      await dataOf(apiClient.shareChatSession({ params }));
      await onChange();
    };
    return (
      <ActionButton class="quiet" run={share}>
        {t("share")}
      </ActionButton>
    );
  }
  const address = location.origin + location.pathname + screenHref("shared", session.share_token);
  const copy = async () => {
    await navigator.clipboard.writeText(address);
    setCopied(true);
  };
  const end = async () => {
    await dataOf(apiClient.unshareChatSession({ params }));
    await onChange();
  };
  return (
    <div class="row share">
      <label>
        {t("share.link")}
        <input readOnly value={address} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <ActionButton run={copy}>{isCopied ? t("share.copied") : t("share.copy")}</ActionButton>
      <ActionButton class="quiet" run={end}>
        {t("share.end")}
      </ActionButton>
    </div>
  );
}
