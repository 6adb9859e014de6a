import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ToolFrameOrWindowLink } from "../content/tool-frame-or-link.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type ReviewProps = { offering: number; item: number; user: number; title: string };

/** Opens a learner's work at an external tool. */
export function ToolReviewLauncher({ offering, item, user, title }: ReviewProps) {
  const [launch, setLaunch] = useState<Schemas["LtiToolLaunch"]>();
  const path = { offering_id: offering, external_tool_id: item, user_id: user };
  const open = async () => setLaunch(await dataOf(apiClient.reviewLtiToolSubmission({ params: { path } })));
  return launch ? (
    <ToolFrameOrWindowLink launch={launch} title={title} />
  ) : (
    <ActionButton run={open}>{t("tool.review")}</ActionButton>
  );
}
