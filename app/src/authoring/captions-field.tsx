import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { readFileAsBase64 } from "../components/chosen-files.ts";
import { Field } from "../components/field.tsx";
import { TranslatedRejectionReason } from "../components/rejection-reason.tsx";
import { SampleFileDownloads } from "../components/sample-files.tsx";
import { useImportFileUploader } from "../files/import-upload.tsx";
import { explainError } from "../query.tsx";
import { captionSamples } from "../samples/captions.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import type { ContentData } from "./at-path.ts";

type ReadDetails = Pick<Schemas["Captions"], "read_as" | "left_out" | "left_out_codes">;

type CaptionsProps = { course: number; data: ContentData; onChange: (data: ContentData) => void };

/** Fills the transcript from a WebVTT or SRT file. The film shows it as captions, and the tutor reads it. */
export function TranscriptFromCaptionsField({ course, data, onChange }: CaptionsProps) {
  const upload = useImportFileUploader({ course_id: course });
  const [outcome, setOutcome] = useState<{ text: string; isFault: boolean; read?: ReadDetails }>();
  const read = async (file: File) => {
    setOutcome(undefined);
    try {
      const held = await upload.sent(file);
      const sent = held === undefined ? { captions: await readFileAsBase64(file) } : { file_id: held };
      const { language, segments, ...read } = await dataOf(
        apiClient.readCaptions({ body: { course_id: course, name: file.name, ...sent } }),
      );
      const before = data["transcript"];
      const kept = typeof before === "object" && before ? before : {};
      onChange({ ...data, transcript: { ...kept, ...(language && { language }), segments } });
      setOutcome({ text: t("captions.read", { n: segments.length }), isFault: false, read });
    } catch (error) {
      setOutcome({ text: explainError(error), isFault: true });
    }
  };
  return (
    <>
      <Field name="captions" label={t("captions")} about={t("captions.about")}>
        <input
          type="file"
          accept=".vtt,.srt,text/vtt"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) void read(file);
          }}
        />
      </Field>
      {upload.bar}
      <p class={outcome?.isFault ? "fault" : "quiet"} role="status">
        {outcome?.text}
      </p>
      {outcome?.read && <Details read={outcome.read} />}
      <SampleFileDownloads samples={captionSamples} />
    </>
  );
}

/** The encoding unless it is UTF-8, and what a transcript cannot hold. */
function Details({ read: { read_as, left_out, left_out_codes } }: { read: ReadDetails }) {
  return (
    <ul class="quiet lines">
      {read_as !== "utf-8" && <li>{read_as}</li>}
      {left_out.map((line, at) => (
        <li key={at}>
          {t("captions.left.out")} <TranslatedRejectionReason code={left_out_codes[at] ?? null} said={line} />
        </li>
      ))}
    </ul>
  );
}
