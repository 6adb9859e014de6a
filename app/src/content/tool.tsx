import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Button } from "../components/button.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { Done } from "./done.tsx";
import type { ItemProgress } from "./item-progress.ts";
import { ToolFrame } from "./tool-frame.tsx";

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
      {launch?.target === "FRAME" && <ToolFrame address={launch.launch_url} title={item.title} />}
      {launch?.target === "WINDOW" && (
        // A click of its own: browsers block windows that open after a request.
        <a class="button primary" href={launch.launch_url} target="_blank" rel="noopener">
          {t("tool.window", { tool: launch.tool_name })}
        </a>
      )}
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
