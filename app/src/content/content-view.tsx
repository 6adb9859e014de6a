import { dataOf, type Schemas } from "learning-platform-client";
import { lazyComponentWithTexts } from "../components/on-demand.tsx";
import { apiClient } from "../service.ts";
import { ContentDataView } from "./content-body.tsx";
import type { QuizData } from "./content-data.ts";
import type { OutlineItemWithOnChange } from "./item-progress.ts";
import { MarkDoneButtonOrBadge } from "./mark-done.tsx";
import { QuizView } from "./quiz.tsx";

const ScormLaunchAndAttempts = lazyComponentWithTexts(
  async () => (await import("../scorm/scorm-view.tsx")).ScormLaunchAndAttempts,
);
const AssignmentWorkPanel = lazyComponentWithTexts(
  async () => (await import("../work/work-panel.tsx")).AssignmentWorkPanel,
);

const ToolView = lazyComponentWithTexts(async () => (await import("./tool.tsx")).ToolView);

type ContentViewProps = {
  item: Schemas["ContentItem"];
  offeringId: number;
  /** Absent if the caller has no seat in the offering. Then no progress is recorded. */
  progress: OutlineItemWithOnChange | undefined;
};

export function InteractiveContentItem({ item, offeringId, progress }: ContentViewProps) {
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
  if (kind === "scorm")
    return <ScormLaunchAndAttempts item={item} offeringId={offeringId} progress={progress} />;
  if (kind === "external_tool")
    return <ToolView item={item} offeringId={offeringId} progress={progress} complete={() => report(100)} />;
  const isLab = kind === "engineering_lab";
  return (
    <>
      <ContentDataView kind={kind} data={item.data_json} title={item.title} onWatched={report} />
      {(isLab || kind === "assignment") && (
        <AssignmentWorkPanel
          itemId={item.id}
          offeringId={offeringId}
          isLab={isLab}
          isForGroups={item.data_json["group_submission"] === true}
          progress={progress}
        />
      )}
      {progress && completedByHand.includes(kind) && (
        <MarkDoneButtonOrBadge progress={progress} complete={() => report(100)} />
      )}
    </>
  );
}

const completedByHand = ["text", "video", "resource"];
