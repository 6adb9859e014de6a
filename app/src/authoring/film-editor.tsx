import { t } from "../texts.ts";
import type { ContentData } from "./at-path.ts";
import { CaptionsField } from "./captions-field.tsx";
import { videoFields } from "./content-type-fields.ts";
import { ContentDataFields } from "./data-fields.tsx";
import { FileField } from "./file-field.tsx";
import { detectVideoSource, withVideoProviderFromUrl } from "./film-fields.ts";

type FilmProps = { course: number; data: ContentData; onChange: (data: ContentData) => void };

/** A film by upload or by URL. The provider is recognized from the URL. */
export function VideoSourceFields({ data, onChange, course }: FilmProps) {
  const found = detectVideoSource(data);
  const { file_id: file, ...others } = data;
  return (
    <>
      <FileField
        label={t("video.file")}
        course={course}
        file={file}
        accept="video/*"
        onChange={(chosen) => onChange(chosen ? ownFilm(others, chosen.id) : others)}
      />
      <div class="fields">
        <ContentDataFields
          fields={videoFields}
          within="data_json"
          data={data}
          onChange={(next) => onChange(withVideoProviderFromUrl(data, next))}
        />
      </div>
      <CaptionsField course={course} data={data} onChange={onChange} />
      <p class="quiet" role="status">
        {found && t(`film.found.${found}`)}
      </p>
    </>
  );
}

/** An uploaded film replaces any other source. */
function ownFilm(
  { url: _, video_url: __, video_id: ___, ...rest }: ContentData,
  file_id: number,
): ContentData {
  return { ...rest, provider: "internal", file_id };
}
