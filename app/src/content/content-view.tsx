import { dataOf, type Schemas } from "learning-platform-client";
import { Action } from "../parts/action.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { AssignmentView } from "./assignment.tsx";
import { LabView } from "./lab.tsx";
import { QuizView } from "./quiz.tsx";
import { ResourceView } from "./resource.tsx";
import type { AssignmentData, LabData, QuizData, ResourceData, TextData, VideoData } from "./shapes.ts";
import { TextView } from "./text.tsx";
import { VideoView } from "./video.tsx";

const WorkPanel = onDemand(async () => (await import("../work/work-panel.tsx")).WorkPanel);

export type ItemProgress = {
  line: Schemas["OutlineItem"] | undefined;
  /** Called when the service knows of new progress. */
  onChange: () => void;
};

type ContentViewProps = {
  item: Schemas["ContentItem"];
  offeringId: number;
  /** Absent for whoever has no place in the offering: nothing is recorded of them. */
  progress: ItemProgress | undefined;
};

/** A content item, drawn by its type. */
export function ContentView({ item, offeringId, progress }: ContentViewProps) {
  const data = item.data_json;
  const report = async (percent: number) => {
    if (!progress || progress.line?.completed_at || percent <= (progress.line?.progress_percent ?? 0)) return;
    const body = { content_item_id: item.id, course_offering_id: offeringId, progress_percent: percent };
    await dataOf(api.recordContentProgress({ body }));
    progress.onChange();
  };
  const done = progress && <Done progress={progress} complete={() => report(100)} />;
  switch (item.content_type.name) {
    case "text":
      return (
        <>
          <TextView data={data as TextData} />
          {done}
        </>
      );
    case "video":
      return (
        <>
          <VideoView data={data as VideoData} title={item.title} onWatched={report} />
          {done}
        </>
      );
    case "quiz":
      return (
        <QuizView itemId={item.id} offeringId={offeringId} data={data as QuizData} progress={progress} />
      );
    case "engineering_lab":
      return (
        <>
          <LabView data={data as LabData} />
          <WorkPanel itemId={item.id} offeringId={offeringId} isLab progress={progress} />
        </>
      );
    case "assignment":
      return (
        <>
          <AssignmentView data={data as AssignmentData} />
          <WorkPanel itemId={item.id} offeringId={offeringId} isLab={false} progress={progress} />
        </>
      );
    case "resource":
      return (
        <>
          <ResourceView data={data as ResourceData} />
          {done}
        </>
      );
    default:
      return <pre class="data">{JSON.stringify(data, null, 2)}</pre>;
  }
}

/** For what is complete when the learner says so. */
function Done({ progress, complete }: { progress: ItemProgress; complete: () => Promise<void> }) {
  if (progress.line?.completed_at)
    return (
      <p class="badge completed" role="status">
        ✓ {t("done")}
      </p>
    );
  return (
    <Action class="primary" run={complete}>
      {t("mark.done")}
    </Action>
  );
}
