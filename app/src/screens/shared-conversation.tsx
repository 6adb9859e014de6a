import { dataOf } from "learning-platform-client";
import { ScreenHeading } from "../components/heading.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { ReadOnlyConversation } from "../tutor/read-only-conversation.tsx";

export function SharedConversationScreen({ token }: { token: string }) {
  const shared = useQuery(
    (signal) => dataOf(apiClient.getSharedChatSession({ params: { path: { share_token: token } }, signal })),
    [token],
  );
  return (
    <QueryBoundary of={shared}>
      {(found) => (
        <>
          <ScreenHeading title={found.title}>
            <p class="quiet">{t("shared.about")}</p>
          </ScreenHeading>
          <ReadOnlyConversation state={{ session: found }} isWhole />
        </>
      )}
    </QueryBoundary>
  );
}
