import type { SampleFile } from "../samples/sample-file.ts";
import { t } from "../texts.ts";
import { ButtonWithFocusFallback } from "./button.tsx";
import { saveAs } from "./save-as.ts";

/** Downloads of small files in each format that an import reads. */
export const SampleFileDownloads = ({ samples }: { samples: readonly SampleFile[] }) => (
  <p class="row">
    <span class="quiet">{t("imports.samples")}</span>
    {samples.map(({ name, format, content, type }) => (
      <ButtonWithFocusFallback
        key={name}
        class="quiet"
        onClick={() => saveAs(name, new Blob([content], { type }))}
      >
        {format}
      </ButtonWithFocusFallback>
    ))}
  </p>
);
