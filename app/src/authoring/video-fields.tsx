import { ButtonWithFocusFallback } from "../components/button.tsx";
import { Field, valueOfEventTarget } from "../components/field.tsx";
import { t } from "../texts.ts";
import { type ContentData, withValueAtPath } from "./at-path.ts";
import { TranscriptFromCaptionsField } from "./captions-field.tsx";
import { videoSettingsFields } from "./content-type-fields.ts";
import { ContentDataFields } from "./data-fields.tsx";
import { CourseFileUploadField } from "./file-field.tsx";
import { detectVideoSourceKind, videoUrlFromData, withVideoProviderFromUrl } from "./video-source.ts";

type VideoProps = { data: ContentData; onChange: (data: ContentData) => void };

/** A video by link or upload, with its captions. The provider is recognized from the link. */
export function VideoSourceFields({ data, onChange, course }: VideoProps & { course: number }) {
  const { file_id: file, ...others } = data;
  const address = videoUrlFromData(data);
  const type = (event: Event) => {
    const { video_url: _, ...rest } = others;
    onChange(
      withVideoProviderFromUrl(data, withValueAtPath(rest, "url", valueOfEventTarget(event) || undefined)),
    );
  };
  const found = detectVideoSourceKind(data);
  return (
    <fieldset class="rows">
      <legend>{t("kind.video")}</legend>
      {typeof file !== "number" && (
        <>
          <Field name="data_json.url" label={t("video.url")} about={t("film.about")}>
            <input type="url" placeholder="https://" value={address} onInput={type} />
          </Field>
          <p class="quiet" role="status">
            {found && t(`film.found.${found}`)}
          </p>
        </>
      )}
      {(address === "" || typeof file === "number") && (
        <CourseFileUploadField
          label={t("video.file")}
          course={course}
          file={file}
          accept="video/*"
          onChange={(chosen) => onChange(chosen ? uploadedVideo(others, chosen.id) : others)}
        />
      )}
      {address !== "" && (
        <ButtonWithFocusFallback class="quiet" onClick={() => onChange(withoutVideo(data))}>
          {t("video.replace")}
        </ButtonWithFocusFallback>
      )}
      <TranscriptFromCaptionsField course={course} data={data} onChange={onChange} />
    </fieldset>
  );
}

export const VideoSettingsFields = (edited: VideoProps) => (
  <ContentDataFields fields={videoSettingsFields} within="data_json" {...edited} />
);

function withoutVideo({
  url: _,
  video_url: __,
  video_id: ___,
  provider: ____,
  ...rest
}: ContentData): ContentData {
  return rest;
}

/** An uploaded video replaces any other source. */
const uploadedVideo = (data: ContentData, file_id: number): ContentData => ({
  ...withoutVideo(data),
  provider: "internal",
  file_id,
});
