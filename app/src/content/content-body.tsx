import { t } from "../texts.ts";
import { AssignmentDescriptionView } from "./assignment.tsx";
import type { AssignmentData, LabData, QuizData, ResourceData, TextData, VideoData } from "./content-data.ts";
import { LabDescriptionView } from "./lab.tsx";
import { QuizSettingsSummary } from "./quiz-summaries.tsx";
import { ResourceView } from "./resource.tsx";
import { TextView } from "./text.tsx";
import { VideoView } from "./video.tsx";

type RenderingProps = {
  kind: string;
  data: object;
  title: string;
  /** Receives the percentage of a film that was watched. */
  onWatched?: (percent: number) => Promise<void>;
};

export function ContentDataView({ kind, data, title, onWatched = async () => {} }: RenderingProps) {
  switch (kind) {
    case "text":
      return <TextView data={data as TextData} />;
    case "video":
      return <VideoView data={data as VideoData} title={title} onWatched={onWatched} />;
    case "quiz":
      return <QuizSettingsSummary data={data as QuizData} />;
    case "engineering_lab":
      return <LabDescriptionView data={data as LabData} />;
    case "assignment":
      return <AssignmentDescriptionView data={data as AssignmentData} />;
    case "resource":
      return <ResourceView data={data as ResourceData} />;
    case "scorm":
      return <p class="quiet">{t("kind.scorm")}</p>;
    default:
      return <pre class="data">{JSON.stringify(data, null, 2)}</pre>;
  }
}
