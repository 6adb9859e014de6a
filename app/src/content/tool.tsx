import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import type { OutlineItemWithOnChange } from "./item-progress.ts";
import { MarkDoneButtonOrBadge } from "./mark-done.tsx";
import { ToolFrameOrWindowLink } from "./tool-frame-or-link.tsx";

type ToolProps = {
  item: Schemas["ContentItem"];
  offeringId: number;
  /** Absent if the caller has no seat in the offering. */
  progress: OutlineItemWithOnChange | undefined;
  complete: () => Promise<void>;
};

/** An external tool, opened on request in a frame or a window. Without points, learners complete it. */
export function ToolView({ item, offeringId, progress, complete }: ToolProps) {
  const [launch, setLaunch] = useState<Schemas["LtiToolLaunch"]>();
  const path = { offering_id: offeringId, external_tool_id: item.id };
  const open = async () => setLaunch(await dataOf(apiClient.launchLtiTool({ params: { path } })));
  const close = () => {
    setLaunch(undefined);
    // The tool may have sent a score.
    progress?.onChange();
  };
  return (
    <>
      {launch && <ToolFrameOrWindowLink launch={launch} title={item.title} />}
      {launch ? (
        <ButtonWithFocusFallback class="quiet" onClick={close}>
          {t("tool.close")}
        </ButtonWithFocusFallback>
      ) : (
        <ActionButton class="primary" run={open}>
          {t("tool.open")}
        </ActionButton>
      )}
      {progress && !("max_points" in item.data_json) && (
        <MarkDoneButtonOrBadge progress={progress} complete={complete} />
      )}
    </>
  );
}
