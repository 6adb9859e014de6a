import { dataOf, type Schemas } from "learning-platform-client";
import { lazyComponentWithTexts } from "../components/on-demand.tsx";
import { apiClient } from "../service.ts";
import { ContentBody } from "./content-body.tsx";
import type { QuizData } from "./content-data.ts";
import { Done } from "./done.tsx";
import type { ItemProgress } from "./item-progress.ts";
import { QuizView } from "./quiz.tsx";

const ScormView = lazyComponentWithTexts(async () => (await import("../scorm/scorm-view.tsx")).ScormView);
const WorkPanel = lazyComponentWithTexts(async () => (await import("../work/work-panel.tsx")).WorkPanel);

const ToolView = lazyComponentWithTexts(async () => (await import("./tool.tsx")).ToolView);

type ContentViewProps = {
  item: Schemas["ContentItem"];
  offeringId: number;
  /** Absent if the caller has no seat in the offering. Then no progress is recorded. */
  progress: ItemProgress | undefined;
};

export function ContentView({ item, offeringId, progress }: ContentViewProps) {
  const kind = item.content_type.name;
  const report = async (percent: number) => {
    if (!progress || progress.line?.completed_at || percent <= (progress.line?.progress_percent ?? 0)) return;
    const body = { content_item_id: item.id, course_offering_id: offeringId, progress_percent: percent };
    await dataOf(apiClient.recordContentProgress({ body }));
    progress.onChange();
  };
  if (kind === "quiz")
    return (
      <QuizView
        itemId={item.id}
        offeringId={offeringId}
        data={item.data_json as QuizData}
        progress={progress}
      />
    );
  if (kind === "scorm") return <ScormView item={item} offeringId={offeringId} progress={progress} />;
  if (kind === "external_tool")
    return <ToolView item={item} offeringId={offeringId} progress={progress} complete={() => report(100)} />;
  const isLab = kind === "engineering_lab";
  return (
    <>
      <ContentBody kind={kind} data={item.data_json} title={item.title} onWatched={report} />
      {(isLab || kind === "assignment") && (
        <WorkPanel
          itemId={item.id}
          offeringId={offeringId}
          isLab={isLab}
          isForGroups={item.data_json["group_submission"] === true}
          progress={progress}
        />
      )}
      {progress && completedByHand.includes(kind) && (
        <Done progress={progress} complete={() => report(100)} />
      )}
    </>
  );
}

const completedByHand = ["text", "video", "resource"];
