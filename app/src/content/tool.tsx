import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Button } from "../components/button.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { Done } from "./done.tsx";
import type { ItemProgress } from "./item-progress.ts";
import { LaunchedTool } from "./launched-tool.tsx";

type ToolProps = {
  item: Schemas["ContentItem"];
  offeringId: number;
  /** Absent if the caller has no seat in the offering. */
  progress: ItemProgress | undefined;
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
      {launch && <LaunchedTool launch={launch} title={item.title} />}
      {launch ? (
        <Button class="quiet" onClick={close}>
          {t("tool.close")}
        </Button>
      ) : (
        <ActionButton class="primary" run={open}>
          {t("tool.open")}
        </ActionButton>
      )}
      {progress && !("max_points" in item.data_json) && <Done progress={progress} complete={complete} />}
    </>
  );
}
