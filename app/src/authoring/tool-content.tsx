import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect, useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ToolFrameWithStorage } from "../content/tool-frame.tsx";
import { explainError, QueryBoundary } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import type { ContentData } from "./at-path.ts";
import { useCourseLtiTools } from "./tool-field.tsx";

/** An item chosen at a tool, as this service's page posts it after checking the tool's signature. */
export type ContentChosenAtTool = { title: string; description: string | null; data_json: ContentData };

type ToolContentProps = {
  item: Schemas["ContentItem"];
  tool: number;
  /** The first becomes this item; the others are new ones. */
  onChoose: (items: ContentChosenAtTool[]) => Promise<void>;
};

/** Deep Linking: the teacher chooses content in the tool's frame. */
export function ToolContentChooser({ item, tool, onChoose }: ToolContentProps) {
  const tools = useCourseLtiTools(item.course_id);
  const [address, setAddress] = useState("");
  const [fault, setFault] = useState("");
  const path = { course_id: item.course_id, lti_tool_id: tool };
  const open = async () =>
    setAddress((await dataOf(apiClient.chooseLtiToolContent({ params: { path } }))).launch_url);
  useEffect(() => {
    if (address === "") return;
    const take = ({ origin, data }: MessageEvent) => {
      if (origin !== location.origin || data?.subject !== "lti.links") return;
      setAddress("");
      onChoose(data.items).catch((error: unknown) => setFault(explainError(error)));
    };
    addEventListener("message", take);
    return () => removeEventListener("message", take);
  }, [address, onChoose]);
  return (
    <QueryBoundary of={tools}>
      {(found) =>
        found.some(({ id, has_deep_linking }) => id === tool && has_deep_linking) ? (
          <section class="card">
            <p class="quiet">{t("tool.choose.about")}</p>
            <ActionButton run={open}>{t("tool.choose")}</ActionButton>
            {fault && <p role="alert">{fault}</p>}
            {address && <ToolFrameWithStorage address={address} title={t("tool.choose")} />}
          </section>
        ) : null
      }
    </QueryBoundary>
  );
}
